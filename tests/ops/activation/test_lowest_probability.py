"""softmax on CPUs takes no input for more than 64 below the largest, as Fluid's kernels do."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.ops.loss.softmax_with_cross_entropy import MANY

FAR = [0.0, -90.0, -200.0]
layers = fluid.layers


def softmax(x, label, axis):
    return layers.softmax(x, axis=axis)


def cross_entropy(x, label, axis):
    return layers.cross_entropy(layers.softmax(x), label)


def cross_entropy_of_soft_labels(x, label, axis):
    soft = layers.one_hot(label, 3)
    return layers.cross_entropy(layers.softmax(x), soft, soft_label=True)


def fused(x, label, axis):
    return layers.softmax_with_cross_entropy(x, label, axis=axis)


def fused_of_soft_labels(x, label, axis):
    return layers.softmax_with_cross_entropy(x, layers.one_hot(label, 3), soft_label=True)


def static(function, x, label, axis=-1):
    """The result and the gradient of its sum, where fused operators may write over their inputs."""
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        fed = fluid.data("x", x.shape, x.dtype)
        fed.stop_gradient = False
        inside = layers.scale(fed, 2.0)
        out = function(layers.elementwise_add(inside, -fed), fluid.data("label", label.shape, "int64"), axis)
        (gradient,) = fluid.gradients(layers.reduce_sum(out), fed)
    return fluid.Executor(fluid.CPUPlace()).run(main, {"x": x, "label": label}, [out, gradient])


def imperative(function, x, label, axis=-1):
    with fluid.dygraph.guard():
        variable = fluid.dygraph.to_variable(x)
        variable.stop_gradient = False
        out = function(variable, fluid.dygraph.to_variable(label), axis)
        layers.reduce_sum(out).backward()
        return out.numpy(), variable.gradient()


@pytest.mark.parametrize("run", [static, imperative])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_no_probability_is_less_than_e_to_the_minus_64_of_the_largest(run, dtype):
    x = np.array([FAR, [0, 0, -100], [1, 2, 3], [0, -63, -65]], dtype)
    shifted = np.exp(np.maximum(x - x.max(1, keepdims=True), -64))
    expected = shifted / shifted.sum(1, keepdims=True)
    label = np.zeros([4, 1], "int64")
    np.testing.assert_allclose(run(softmax, x, label)[0], expected, rtol=1e-5, atol=0)
    np.testing.assert_allclose(run(softmax, x.T.copy(), label, axis=0)[0], expected.T, rtol=1e-5, atol=0)


@pytest.mark.parametrize("run", [static, imperative])
@pytest.mark.parametrize(
    "function", [cross_entropy, cross_entropy_of_soft_labels, fused, fused_of_soft_labels], ids=lambda f: f.__name__
)
def test_the_loss_of_a_hopeless_label_is_64_and_its_gradient_finite(run, function):
    loss, gradient = run(function, np.array([FAR], "float32"), np.array([[2]]))
    assert loss.tolist() == [[64]]
    np.testing.assert_allclose(gradient, [[1, 0, -1]], atol=1e-6)


@pytest.mark.parametrize("run", [static, imperative])
def test_a_large_vocabulary_has_the_same_bound(run):
    x = np.zeros([2, MANY], "float32")
    x[:, 0], x[:, -1] = 1000, -1000
    loss, gradient = run(fused, x, np.array([[0], [MANY - 1]]))
    np.testing.assert_allclose(loss, [[0], [64]], atol=1e-6)
    np.testing.assert_allclose(gradient[1, [0, 1, -1]], [1, 0, -1], atol=1e-6)


def test_what_is_not_a_number_stays_so_and_an_empty_batch_is_empty():
    x = np.array([[0, np.nan, -200], [-np.inf, -np.inf, -np.inf], [0, np.inf, 1], FAR], "float32")
    out = static(softmax, x, np.zeros([4, 1], "int64"))[0]
    assert np.isnan(out[:3]).all() and out[3].min() > 1e-28
    with fluid.dygraph.guard():
        assert layers.softmax(fluid.dygraph.to_variable(x[:0])).shape == [0, 3]
