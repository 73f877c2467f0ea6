"""fluid.gradients: of anything with respect to anything, and of gradients again."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError, ModeError, ShapeError
from refluid.ir.verify import verify

F32 = np.float32
VALUE = np.array([[0.5, -1.0, 2.0]], F32)


@pytest.fixture
def x():
    var = fluid.data("x", [None, 3])
    var.stop_gradient = False
    return var


def run(fetch, feed=None):
    verify(fluid.default_main_program())
    return fluid.Executor().run(feed=feed or {"x": VALUE}, fetch_list=fetch)


def test_the_gradient_of_a_tensor_starts_from_ones(x):
    (grad,) = fluid.gradients(fluid.layers.square(x), x)
    assert grad.shape == (-1, 3)
    assert np.allclose(run([grad])[0], 2 * VALUE)


def test_target_gradients_weigh_the_targets(x):
    weight = fluid.data("weight", [None, 3])
    (grad,) = fluid.gradients([fluid.layers.square(x)], [x], target_gradients=[weight])
    given = np.array([[1, 10, 100]], F32)
    assert np.allclose(run([grad], {"x": VALUE, "weight": given})[0], 2 * VALUE * given)


def test_several_targets_are_added_and_several_inputs_answered(x):
    y = fluid.data("y", [None, 3])
    y.stop_gradient = False
    targets = [fluid.layers.elementwise_mul(x, y), fluid.layers.scale(x, 3.0)]
    grads = fluid.gradients(targets, [x, y])
    found = run(grads, {"x": VALUE, "y": VALUE + 1})
    assert np.allclose(found[0], VALUE + 1 + 3) and np.allclose(found[1], VALUE)


def test_an_input_without_influence_has_no_gradient(x):
    y = fluid.data("y", [None, 3])
    y.stop_gradient = False
    fluid.layers.scale(y, 2.0)
    assert fluid.gradients(fluid.layers.square(x), [x, y])[1] is None


def test_no_grad_set_is_not_passed(x):
    middle = fluid.layers.scale(x, 2.0)
    target = fluid.layers.elementwise_add(middle, x)
    (grad,) = fluid.gradients(target, x, no_grad_set={middle.name})
    assert np.allclose(run([grad])[0], 1)


def test_the_second_derivative_of_a_cube(x):
    cube = fluid.layers.elementwise_mul(fluid.layers.square(x), x)
    (first,) = fluid.gradients(cube, x)
    (second,) = fluid.gradients(first, x)
    found = run([first, second])
    assert np.allclose(found[0], 3 * VALUE**2) and np.allclose(found[1], 6 * VALUE)


def test_the_third_derivative_of_a_fourth_power(x):
    y = fluid.layers.square(fluid.layers.square(x))
    found = []
    for _ in range(3):
        (y,) = fluid.gradients(y, x)
        found.append(y)
    values = run(found)
    for value, expected in zip(values, (4 * VALUE**3, 12 * VALUE**2, 24 * VALUE)):
        assert np.allclose(value, expected, rtol=1e-5)


def test_a_penalty_on_the_gradient_trains_the_weights_through_it():
    x = fluid.data("x", [None, 3])
    x.stop_gradient = False
    w = fluid.layers.create_parameter([3, 1], "float32", name="w", default_initializer=fluid.initializer.Constant(2.0))
    out = fluid.layers.square(fluid.layers.mul(x, w))
    (grad,) = fluid.gradients(out, x)  # 2 (x.w) w
    penalty = fluid.layers.reduce_sum(fluid.layers.square(grad))  # 4 (x.w)^2 |w|^2
    ((_, slope),) = fluid.backward.append_backward(penalty)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    (found,) = exe.run(feed={"x": VALUE}, fetch_list=[slope])
    weight, dot = np.full(3, 2.0), float((VALUE[0] * 2.0).sum())
    assert np.allclose(found[:, 0], 8 * dot * (weight @ weight) * VALUE[0] + 8 * dot**2 * weight, rtol=1e-4)


def test_a_tanh_network_agrees_with_numpy_in_its_second_derivative(x):
    (first,) = fluid.gradients(fluid.layers.tanh(x), x)
    (second,) = fluid.gradients(first, x)
    tanh = np.tanh(VALUE)
    assert np.allclose(run([second])[0], -2 * tanh * (1 - tanh**2), atol=1e-6)


def test_what_does_not_fit_is_told(x):
    y = fluid.layers.square(x)
    with pytest.raises(ArgumentError, match="gradients: 1 targets, but 2 target_gradients"):
        fluid.gradients(y, x, target_gradients=[None, None])
    with pytest.raises(ShapeError, match=r"has the shape \[-1, 3\], its target_gradient \[-1, 2\]"):
        fluid.gradients(y, x, target_gradients=[fluid.data("weight", [None, 2])])
    with pytest.raises(ModeError, match="must be Variables, got ndarray"):
        fluid.gradients(y, VALUE)


def overwritten_parameter(again):
    """The gradients of a product by a parameter that is overwritten and used again, and their names."""
    start = fluid.initializer.NumpyArrayInitializer(np.arange(4, dtype=F32).reshape(2, 2))
    w = fluid.layers.create_parameter([2, 2], "float32", name="w", default_initializer=start)
    x = fluid.layers.assign(np.array([[1, 2], [3, 4]], F32))
    x.stop_gradient = False
    product = fluid.layers.mul(x, w)
    fluid.layers.assign(fluid.layers.square(w) if again else fluid.layers.tanh(x), w)
    loss = fluid.layers.reduce_sum(fluid.layers.mul(product, w))
    return fluid.gradients(loss, [w, x])


# What 1.8.5 gives: its gradient operators read what the parameter is by then.
@pytest.mark.parametrize("again, expected", [
    (True, [[[16, 88], [204, 496]], [[13, 121], [13, 121]]]),
    (False, [[[18.902487, 19.977535], [32.353729, 33.966305]], [[8.276556, 4.557944], [3.453919, 3.739638]]]),
])  # fmt: skip
def test_the_gradient_by_a_parameter_that_an_assign_has_overwritten(again, expected):
    grads = overwritten_parameter(again)
    (assign,) = [op for op in fluid.default_main_program().global_block().ops[8:] if op.type == "assign"]
    assert assign.input("X") == ["w@GRAD@RENAME@block0@0"]  # the name of the part that was there by then
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    for found, value in zip(exe.run(fetch_list=grads), expected, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-5)
