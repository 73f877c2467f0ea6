"""What Fluid computes without a word though the user probably meant something else: computed, and told once."""

import warnings

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.dygraph import guard, no_grad, to_variable


@pytest.fixture
def told(recwarn):
    """The warnings so far, each with its line of this file."""
    warnings.simplefilter("always")

    def found():
        assert all(one.filename == __file__ for one in recwarn.list)
        return [str(one.message) for one in recwarn.list]

    return found


def _input(asks=True):
    x = to_variable(np.array([1.0, 2.0, 3.0], "float32"))
    x.stop_gradient = not asks
    return x


def test_backward_of_several_elements_says_that_their_sum_is_taken(told):
    with guard():
        x = _input()
        for _ in range(2):
            (x * x).backward()
        assert x.gradient().tolist() == [2, 4, 6]
    (one,) = told()
    assert "has 3 elements (shape [3]); the gradients are those of their sum" in one


def test_backward_of_one_element_says_nothing(told):
    with guard():
        fluid.layers.reduce_sum(_input()).backward()
    assert told() == []


def test_backward_of_what_was_computed_under_no_grad_says_that_there_are_no_gradients(told):
    with guard():
        x = _input()
        with no_grad():
            loss = fluid.layers.reduce_sum(x)
            loss.backward()
        assert x.gradient() is None
    (one,) = told()
    assert one.startswith("backward: this variable was not computed by operators that are remembered")
    assert "no_grad()" in one


def test_backward_under_no_grad_through_a_graph_from_before_goes_the_usual_way(told):
    with guard():
        x = _input()
        loss = fluid.layers.reduce_sum(x)
        with no_grad():
            loss.backward()
        assert x.gradient().tolist() == [1, 1, 1]
    assert told() == []


def test_the_gradient_of_a_stopped_variable_is_told_to_be_none(told):
    with guard():
        x, y = _input(asks=False), _input()
        fluid.layers.reduce_sum(x * y).backward()
        assert x.gradient() is None and y.gradient() is not None
    (one,) = told()
    assert one.startswith("gradient: this variable is stopped")


def test_gradients_of_a_stopped_variable_of_a_program_are_made_and_told(told):
    x = fluid.data("x", [2, 2])
    assert x.stop_gradient
    (made,) = fluid.gradients(fluid.layers.mean(x), x)
    assert made.name == "x@GRAD"
    (one,) = told()
    assert one.startswith("gradients: x is stopped")


def _loss():
    x = fluid.data("x", [None, 2])
    start = fluid.initializer.Constant(1.0)
    return fluid.layers.mean(fluid.layers.fc(x, 1, bias_attr=False, param_attr=fluid.ParamAttr("w", initializer=start)))


def test_a_second_minimize_of_a_program_says_that_parameters_are_updated_twice(told):
    loss = _loss()
    optimizer = fluid.optimizer.SGD(0.1)
    optimizer.minimize(loss)
    assert told() == []
    optimizer.minimize(loss)
    (one,) = told()
    assert one.startswith("minimize: this program has been minimized before and updates w already")
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    exe.run(feed={"x": np.ones([2, 2], "float32")})
    assert np.allclose(fluid.global_scope().find_var("w").get_tensor(), 0.8)  # as 1.8.5 does


def test_two_minimizes_of_different_parameters_say_nothing(told):
    x = fluid.data("x", [None, 2])
    for name in ("a", "b"):
        loss = fluid.layers.mean(fluid.layers.fc(x, 1, bias_attr=False, param_attr=name))
        fluid.optimizer.Adam(0.1).minimize(loss, parameter_list=[name])
    assert told() == []


def test_an_optimizer_with_an_empty_list_of_parameters_says_that_it_updates_nothing(told):
    with guard():
        fluid.optimizer.SGD(0.1, parameter_list=[])
    assert told() == ["SGDOptimizer: parameter_list is empty, so minimize will update nothing"]


def test_an_optimizer_whose_loss_reaches_no_parameter_says_so(told):
    with guard():
        loss = fluid.layers.mean(_input())
        loss.backward()
        fluid.optimizer.SGD(0.1).minimize(loss)
    (one,) = told()
    assert one.startswith("minimize: no parameter has a gradient, so none is updated")
