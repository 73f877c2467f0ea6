"""Layers that are one call in the imperative mode give what their operators give one by one."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.core import mode
from refluid.ir.recorder import Recorder
from refluid.ops import registry

F32 = np.float32


def image(*shape):
    made = fluid.dygraph.to_variable(np.random.RandomState(0).randn(*shape).astype(F32))
    made.stop_gradient = False
    return made


def convolved(layer, x, act):
    out = registry.get(layer._l_type)(x, layer.weight, strides=layer._stride, paddings=layer._padding)
    out = layers.elementwise_add(out, layer.bias, axis=1)
    return out if act is None else getattr(layers, act)(out)


def multiplied(layer, x, act):
    out = layers.elementwise_add(layers.matmul(x, layer.weight), layer.bias, axis=len(x.shape) - 1)
    return out if act is None else getattr(layers, act)(out)


CASES = {
    "Conv2D": (lambda act: fluid.dygraph.Conv2D(2, 3, 3, padding=1, act=act), (2, 2, 5, 5), convolved),
    "Conv2D of one channel": (lambda act: fluid.dygraph.Conv2D(1, 9, 3, act=act), (2, 1, 6, 6), convolved),
    "Conv3D": (lambda act: fluid.dygraph.Conv3D(2, 3, 2, act=act), (2, 2, 3, 4, 4), convolved),
    "Linear": (lambda act: fluid.dygraph.Linear(4, 3, act=act), (2, 4), multiplied),
    "Linear of sequences": (lambda act: fluid.dygraph.Linear(4, 3, act=act), (2, 5, 4), multiplied),
}


@pytest.mark.parametrize("act", [None, "relu", "sigmoid", "tanh", "leaky_relu"])
@pytest.mark.parametrize("name", CASES)
def test_a_layer_equals_its_operators(name, act):
    make, shape, by_operators = CASES[name]
    with fluid.dygraph.guard():
        layer = make(act)
        layer.bias.set_value(np.array([0.3, -0.2, 0.1] * (len(layer.bias) // 3), F32))
        found = []
        for call in (layer, lambda x: by_operators(layer, x, act)):
            x = image(*shape)
            out = call(x)
            layers.reduce_sum(out * out).backward()
            found.append([out.numpy(), x.gradient(), layer.weight.gradient(), layer.bias.gradient(), out.gradient()])
            layer.clear_gradients()
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "max"])
def test_a_rectified_sum_equals_a_sum_and_a_rectifier(name):
    op = getattr(layers, f"elementwise_{name}")
    with fluid.dygraph.guard():
        found = []
        for call in (lambda x, y: op(x, y, act="tanh"), lambda x, y: layers.tanh(op(x, y))):
            x, y = image(2, 3), image(2, 3) + 5.0
            layers.reduce_sum(call(x, y)).backward()
            found.append([x.gradient(), y.gradient(), y.numpy()])
        assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_equals_its_operator_and_moves_its_statistics(training):
    with fluid.dygraph.guard():
        found = []
        for act in ("relu", None):
            layer = fluid.dygraph.BatchNorm(2, act=act)
            layer.train() if training else layer.eval()
            x = image(3, 2, 4, 4)
            out = layer(x)
            out = layers.relu(out) if act is None else out
            found.append([out.numpy(), layer._mean.numpy(), layer._variance.numpy()])
            if training:
                layers.reduce_sum(out * out).backward()
                found[-1] += [x.gradient(), layer.weight.gradient(), layer.bias.gradient()]
        assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))
        assert (found[0][1] != 0).all() == training


def test_what_a_layer_is_given_is_never_written_over():
    with fluid.dygraph.guard():
        x = image(2, 4)
        before = x.numpy()
        fluid.dygraph.Linear(4, 4, act="relu")(x)
        identity = fluid.dygraph.Linear(4, 4, bias_attr=False, act="relu")
        identity(x)
        assert np.array_equal(x.numpy(), before)


def test_gradients_of_gradients_go_through_fused_calls():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(3, 1, act="tanh")
        x = image(2, 3)
        (slope,) = fluid.dygraph.grad(layer(x), x, create_graph=True)
        layers.reduce_sum(slope * slope).backward()
        out = np.tanh(x.numpy() @ layer.weight.numpy() + layer.bias.numpy())
        rise = (1 - out**2) * layer.weight.numpy().T
        second = -2 * out * (1 - out**2) * layer.weight.numpy().T
        wanted = 2 * (rise * layer.weight.numpy().T).sum(1, keepdims=True) * second
        np.testing.assert_allclose(x.gradient(), wanted, rtol=1e-4, atol=1e-6)


def test_programs_hold_the_operators_that_fluid_records():
    main = fluid.Program()
    old = mode.switch(Recorder())
    try:
        with fluid.program_guard(main, fluid.Program()):
            conv = fluid.dygraph.Conv2D(1, 2, 3, act="relu")
            linear = fluid.dygraph.Linear(4, 3, act="tanh")
            linear(layers.reshape(conv(fluid.data("x", [None, 1, 4, 4])), [-1, 4]))
    finally:
        mode.switch(old)
    wanted = ["conv2d", "elementwise_add", "relu", "reshape2", "matmul", "elementwise_add", "tanh"]
    assert [op.type for op in main.global_block().ops] == wanted
