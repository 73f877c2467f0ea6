"""summary: layers with shapes, parameters and FLOPs."""

import numpy as np
import pytest
import torch

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError, ModeError
from refluid.ops.math import products
from refluid.summary import summary


class Net(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.conv = fluid.dygraph.Conv2D(3, 8, 3, padding=1, act="relu")
        self.norm = fluid.dygraph.BatchNorm(8)
        self.head = fluid.dygraph.Sequential(fluid.dygraph.Linear(8 * 16, 10), fluid.dygraph.Linear(10, 2))

    def forward(self, x):
        x = self.norm(self.conv(x))
        return self.head(fluid.layers.reshape(x, [-1, 8 * 16])), x


def test_every_layer_is_told_with_its_shape_parameters_and_flops():
    with fluid.dygraph.guard():
        net = Net()
        net.conv.eval()
        before = [layer.training for layer in net.sublayers()]
        told = summary(net, np.ones((2, 3, 4, 4), "float32"))
        assert [layer.training for layer in net.sublayers()] == before
        mean = net.norm.state_dict()["_mean"].numpy()
    convolution, products = 2 * 2 * 8 * 16 * 27, [2 * 2 * 128 * 10, 2 * 2 * 10 * 2]
    assert [(row.name, row.depth, row.flops) for row in told.rows] == [
        ("Net", 0, convolution + sum(products)), ("conv (Conv2D)", 1, convolution), ("norm (BatchNorm)", 1, 0),
        ("head (Sequential)", 1, sum(products)), ("0 (Linear)", 2, products[0]), ("1 (Linear)", 2, products[1]),
    ]  # fmt: skip
    assert told.rows[0].shapes == [[2, 2], [2, 8, 4, 4]] and told.rows[1].parameters == 8 * 27 + 8
    assert told.flops == convolution + sum(products)
    assert told.parameters == 224 + 32 + 1290 + 22 and told.trainable == told.parameters - 16  # statistics of the norm
    assert not mean.any(), "statistics have changed"
    assert "conv (Conv2D)" in str(told) and str(told).endswith(f"{told.flops:,} FLOPs")


@pytest.mark.parametrize("bias", [None, False])
def test_large_products_are_counted_whichever_library_computes_them(bias, monkeypatch):
    """Both MKL's and oneDNN's, which the processor decides otherwise."""
    assert torch.backends.mkldnn.is_available()
    for is_slower in (False, True):
        monkeypatch.setattr(products, "_mkl_is_slower", lambda answer=is_slower: answer)
        with fluid.dygraph.guard():
            told = summary(fluid.dygraph.Linear(1024, 512, bias_attr=bias), np.ones((128, 1024), "float32"))
        assert told.flops == 2 * 128 * 1024 * 512


def test_a_layer_that_is_shared_is_counted_once():
    with fluid.dygraph.guard():
        linear = fluid.dygraph.Linear(4, 4)
        told = summary(fluid.dygraph.Sequential(linear, linear), np.ones((1, 4), "float32"))
    assert told.parameters == 20 and told.flops == 2 * 2 * 16


def test_what_is_no_layer_and_the_static_mode_are_refused():
    with pytest.raises(ArgumentError, match=r"summary: layer must be a fluid.dygraph.Layer, got int"):
        summary(3)
    with fluid.dygraph.guard():
        linear = fluid.dygraph.Linear(4, 4)
    with pytest.raises(ModeError, match="inside fluid.dygraph.guard"):
        summary(linear, np.ones((1, 4), "float32"))
