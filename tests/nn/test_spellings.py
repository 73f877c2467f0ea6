"""Layers in the spelling of 1.5: a name scope first, sizes from the first input."""

import numpy as np
import pytest

import paddle.fluid as fluid
import paddle.fluid.dygraph.nn as nn
from refluid.core.errors import EnforceNotMet

D = fluid.dygraph


@pytest.fixture(autouse=True)
def imperative():
    with D.guard():
        yield


def var(*shape):
    return D.to_variable(np.random.rand(*shape).astype("float32"))


OLD = {
    "conv2d": (lambda: D.Conv2D("c", 4, 3), [(1, 3, 5, 5)], [1, 4, 3, 3], {"weight": [4, 3, 3, 3], "bias": [4]}),
    "conv2d of 1.4": (
        lambda: D.Conv2D("c", num_channels=3, num_filters=4, filter_size=3),
        [(1, 3, 5, 5)],
        [1, 4, 3, 3],
        {"weight": [4, 3, 3, 3], "bias": [4]},
    ),
    "conv3d": (
        lambda: D.Conv3D("c", 4, 3),
        [(1, 2, 3, 4, 5)],
        [1, 4, 1, 2, 3],
        {"weight": [4, 2, 3, 3, 3], "bias": [4]},
    ),
    "conv2d_transpose by output_size": (
        lambda: D.Conv2DTranspose("c", 4, 8, stride=2),
        [(1, 3, 3, 3)],
        [1, 4, 8, 8],
        {"weight": [3, 4, 4, 4], "bias": [4]},
    ),
    "conv3d_transpose": (
        lambda: D.Conv3DTranspose("c", 4, filter_size=2),
        [(1, 3, 2, 2, 2)],
        [1, 4, 3, 3, 3],
        {"weight": [3, 4, 2, 2, 2], "bias": [4]},
    ),
    "group_norm": (
        lambda: D.GroupNorm("g", 2, param_attr=fluid.ParamAttr()),
        [(2, 4, 3, 3)],
        [2, 4, 3, 3],
        {"weight": [4]},
    ),
    "layer_norm": (lambda: D.LayerNorm("l"), [(2, 3, 4)], [2, 3, 4], {"weight": [12], "bias": [12]}),
    "spectral_norm": (
        lambda: D.SpectralNorm("s", dim=1),
        [(3, 2, 2)],
        [3, 2, 2],
        {"weight_u": [2], "weight_v": [6]},
    ),
    "prelu channel": (lambda: D.PRelu("p", "channel"), [(2, 3, 2, 2)], [2, 3, 2, 2], {"weight": [1, 3, 1, 1]}),
    "prelu element": (lambda: D.PRelu("p", mode="element"), [(2, 3, 2)], [2, 3, 2], {"weight": [1, 3, 2]}),
    "gru_unit": (lambda: D.GRUUnit("g", 6), [(3, 6), (3, 2)], [3, 2], {"weight": [2, 6], "bias": [1, 6]}),
    "bilinear": (
        lambda: D.BilinearTensorProduct("b", 4),
        [(3, 2), (3, 5)],
        [3, 4],
        {"weight": [4, 2, 5], "bias": [1, 4]},
    ),
}


@pytest.mark.parametrize("name", OLD)
def test_sizes_come_from_the_first_input(name):
    make, inputs, shape, state = OLD[name]
    layer = make()
    outs = layer(*[var(*one) for one in inputs])
    out = outs[0] if isinstance(outs, tuple) else outs
    assert out.shape == shape
    assert {key: value.shape for key, value in layer.state_dict().items()} == state
    assert layer.full_name().startswith(f"{layer.full_name()[0]}/{type(layer).__name__}_0")


def test_nce_takes_its_width_from_the_first_input():
    nce = D.NCE("n", 20, num_neg_samples=5)
    cost = nce(var(4, 3), D.to_variable(np.arange(4).reshape(4, 1)))
    assert cost.shape == [4, 1] and nce.weight.shape == [20, 3]


def test_nce_of_a_distribution_draws_from_it_alone():
    nce = D.NCE(4, 3, sampler="custom_dist", custom_dist=[0.0, 0.0, 0.5, 0.5], num_neg_samples=8, is_sparse=True)
    nce(var(2, 3), D.to_variable(np.array([[2], [3]]))).backward()
    _, rows = nce.weight.gradient()
    assert set(rows) <= {2, 3}


def test_tree_conv_takes_its_features_from_the_first_input():
    tree = D.TreeConv("t", 3, num_filters=2, bias_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(1.0)))
    edges = D.to_variable(np.array([[[1, 2]]], "int32"))
    out = tree(var(1, 3, 4), edges)
    assert out.shape == [1, 3, 3, 2] and tree.weight.shape == [4, 3, 3, 2]
    np.testing.assert_allclose(out.numpy()[0, 2], np.tanh(np.ones((3, 2))), rtol=1e-6)  # not in the tree: bias alone


def sequences(lengths, width):
    total = sum(lengths)
    data = np.arange(total * width, dtype="float32").reshape(total, width)
    return D.to_variable(fluid.create_lod_tensor(data, [lengths], fluid.CPUPlace()))


def test_sequence_conv_does_not_look_beyond_its_sequence():
    conv = nn.SequenceConv("s", 1, filter_size=3, bias_attr=False)
    x = sequences([2, 1], 1)
    conv(x)
    conv.weight.set_value(np.array([[1], [10], [100]], "float32"))
    assert conv(x).numpy().ravel().tolist() == [100.0, 10.0, 20.0]


def test_row_conv_looks_ahead():
    conv = nn.RowConv("r", 1)
    x = sequences([2, 1], 1)
    conv(x)
    conv.weight.set_value(np.array([[1], [10]], "float32"))
    assert conv(x).numpy().ravel().tolist() == [10.0, 1.0, 2.0]


def test_batch_norm_of_1_5_has_another_argument_before_the_last():
    rest = (0.9, 1e-5, None, None, "float32", "NCHW", False, None, None)
    old = D.BatchNorm("bn", 3, None, False, *rest, False, False, True)
    new = D.BatchNorm(3, None, False, *rest, False, True)
    assert old._use_global_stats is True and new._use_global_stats is True
    assert D.BatchNorm("bn", 3)._mean.do_model_average is False and D.BatchNorm(3)._mean.do_model_average is True


def test_prelu_begins_as_the_identity():
    with D.guard():
        x = D.to_variable(np.array([[-2.0, 3.0]], "float32"))
        assert D.PRelu("all")(x).numpy().tolist() == [[-2.0, 3.0]]


def test_the_mode_of_prelu_is_checked():
    with pytest.raises(EnforceNotMet, match="mode must be 'all', 'channel' or 'element', got 'some'"):
        D.PRelu("some")
    with pytest.raises(EnforceNotMet, match="mode 'channel' needs channel"):
        D.PRelu("channel")


def test_cross_entropy_loss_is_the_weighted_mean_of_log_softmax():
    from refluid.nn.loss import CrossEntropyLoss

    logits, weight = np.random.rand(4, 3).astype("float32"), np.array([1, 2, 3], "float32")
    label = np.array([0, 2, 1, 2])
    loss = CrossEntropyLoss(weight=D.to_variable(weight))(D.to_variable(logits), D.to_variable(label.reshape(4, 1)))
    log = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    counts = weight[label]
    np.testing.assert_allclose(loss.numpy(), [-(counts * log[np.arange(4), label]).sum() / counts.sum()], rtol=1e-5)
