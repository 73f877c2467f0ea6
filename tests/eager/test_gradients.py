"""Who has a gradient after backward, and what it is."""

import numpy as np
import pytest

import paddle.fluid as fluid

F32 = np.float32


@pytest.fixture(autouse=True)
def imperative():
    with fluid.dygraph.guard():
        yield


def var(value, stop_gradient=True):
    made = fluid.dygraph.to_variable(np.array(value, F32))
    made.stop_gradient = stop_gradient
    return made


def total(x):
    return fluid.layers.reduce_sum(x)


# -- stop_gradient -------------------------------------------------------------------------------------------------


def test_parameters_ask_for_gradients_and_other_variables_do_not():
    layer = fluid.dygraph.Linear(2, 2)
    assert not layer.weight.stop_gradient and layer.weight.trainable
    assert fluid.dygraph.to_variable(np.ones(2, F32)).stop_gradient
    frozen = fluid.dygraph.Linear(2, 2, param_attr=fluid.ParamAttr(trainable=False)).weight
    assert not frozen.trainable and not frozen.stop_gradient  # Fluid: optimizers leave it alone, gradients do not


def test_a_result_is_stopped_when_all_its_inputs_are():
    stopped, asking = var([1.0]), var([1.0], stop_gradient=False)
    assert (stopped + stopped).stop_gradient
    assert not (stopped + asking).stop_gradient
    assert (stopped > asking).stop_gradient


def test_a_stopped_result_cuts_the_road():
    x = var([3.0], stop_gradient=False)
    middle = x * 2.0
    middle.stop_gradient = True
    total(middle * x).backward()
    assert x.gradient().tolist() == [6.0]


# -- gradient() ----------------------------------------------------------------------------------------------------


def test_leaves_intermediates_and_the_loss_have_gradients():
    x = var([1.0, 2.0], stop_gradient=False)
    square = x * x
    loss = total(square)
    loss.backward()
    assert x.gradient().tolist() == [2.0, 4.0]
    assert square.gradient().tolist() == [1.0, 1.0]
    assert loss.gradient().tolist() == [1.0]


def test_gradients_of_a_variable_used_many_times_are_added_up():
    x = var([3.0], stop_gradient=False)
    total(x * x + x * 5.0 + x).backward()
    assert x.gradient().tolist() == [12.0]


def test_a_stopped_variable_and_a_stranger_have_none():
    x, stopped, stranger = var([1.0, 2.0], stop_gradient=False), var([5.0, 6.0]), var([1.0])
    total(x * stopped).backward()
    assert x.gradient().tolist() == [5.0, 6.0]
    assert stopped.gradient() is None and stranger.gradient() is None


def test_a_detached_variable_is_a_copy():
    x = var([3.0], stop_gradient=False)
    detached = x.detach()
    x.set_value(np.array([4.0], "float32"))
    assert detached.numpy().tolist() == [3.0]
    detached.set_value(np.array([5.0], "float32"))
    assert x.numpy().tolist() == [4.0]


def test_a_detached_variable_has_no_gradient():
    x = var([3.0], stop_gradient=False)
    y = x * 2.0
    detached = y.detach()
    total(detached * x).backward()
    assert detached.stop_gradient and detached.numpy().tolist() == [6.0]
    assert x.gradient().tolist() == [6.0]
    assert detached.gradient() is None


def test_there_is_no_gradient_before_backward():
    x = var([3.0], stop_gradient=False)
    loss = total(x * x)
    assert x.gradient() is None and loss.gradient() is None


def test_a_second_backward_replaces_gradients():
    x = var([3.0], stop_gradient=False)
    total(x * x).backward()
    total(x * 10.0).backward()
    assert x.gradient().tolist() == [10.0]


def test_clear_gradient_leaves_zeros():
    layer = fluid.dygraph.Linear(2, 1)
    total(layer(var([[1.0, 2.0]]))).backward()
    assert layer.weight.gradient().ravel().tolist() == [1.0, 2.0]
    layer.clear_gradients()
    assert layer.weight.gradient().ravel().tolist() == [0.0, 0.0]


def test_a_gradient_is_the_users_own():
    x = var([3.0], stop_gradient=False)
    total(x * 2.0).backward()
    x.gradient()[:] = 9
    assert x.gradient().tolist() == [2.0]


def test_integers_have_no_gradients():
    x = var([1.0, 2.0, 3.0], stop_gradient=False)
    index = fluid.dygraph.to_variable(np.array([2, 0]))
    total(fluid.layers.gather(x, index)).backward()
    assert x.gradient().tolist() == [1.0, 0.0, 1.0]
    assert index.gradient() is None


# -- the rule of 1.5: when nothing asks, all get --------------------------------------------------------------------


def test_when_nothing_asks_every_floating_leaf_gets_a_gradient():
    x, y = var([1.0, 2.0]), var([3.0, 4.0])
    product = x * y
    loss = total(product)
    loss.backward()
    assert x.gradient().tolist() == [3.0, 4.0] and y.gradient().tolist() == [1.0, 2.0]
    assert product.gradient().tolist() == [1.0, 1.0]


def test_when_one_asks_the_others_get_none_of_it():
    x, y = var([1.0, 2.0]), var([3.0, 4.0])
    stopped = x * y
    weight = var([1.0, 1.0], stop_gradient=False)
    total(stopped * weight).backward()
    assert weight.gradient().tolist() == [3.0, 8.0]
    assert x.gradient() is None and y.gradient() is None


def test_a_loss_of_an_earlier_step_is_a_number_in_the_next():
    x = var([2.0])
    first = total(x * x)
    first.backward()
    second = total(first * var([10.0]))
    second.backward()
    assert first.gradient().tolist() == [10.0]
    assert x.gradient().tolist() == [4.0]


# -- no_grad, eval, retain_graph ------------------------------------------------------------------------------------


def test_nothing_is_remembered_inside_no_grad():
    x = var([2.0], stop_gradient=False)

    @fluid.dygraph.no_grad
    def plain(v):
        return v * v

    @fluid.dygraph.no_grad()
    def called(v):
        return v * v

    with fluid.dygraph.no_grad():
        inside = x * x
    for result in (plain(x), called(x), inside):
        assert result.stop_gradient
        total(result + x).backward()
        assert x.gradient().tolist() == [1.0]


def test_recording_goes_on_after_no_grad_even_after_an_exception():
    x = var([2.0], stop_gradient=False)
    with pytest.raises(KeyError), fluid.dygraph.no_grad():
        raise KeyError
    total(x * x).backward()
    assert x.gradient().tolist() == [4.0]


def test_eval_stops_remembering_and_train_starts_again():
    layer = fluid.dygraph.Linear(1, 1)
    layer.eval()
    assert layer(var([[1.0]])).stop_gradient
    layer.train()
    assert not layer(var([[1.0]])).stop_gradient


def test_retain_graph_allows_another_backward_with_the_same_result():
    x = var([2.0], stop_gradient=False)
    loss = total(x * x * x)
    for _ in range(3):
        loss.backward(retain_graph=True)
        assert x.gradient().tolist() == [12.0]


def test_two_losses_over_one_trunk_are_told_to_retain_it():
    x = var([2.0], stop_gradient=False)
    trunk = x * x
    first, second = total(trunk * 1.0), total(trunk * 10.0)
    first.backward(retain_graph=True)
    second.backward()
    assert x.gradient().tolist() == [40.0]


# -- in place -------------------------------------------------------------------------------------------------------


def test_augmented_assignment_makes_a_new_variable_for_the_graph():
    x = var([2.0], stop_gradient=False)
    y = x
    y += 1.0
    total(y * y).backward()
    assert x.numpy().tolist() == [2.0] and y.numpy().tolist() == [3.0]
    assert x.gradient().tolist() == [6.0]


def test_increment_changes_the_variable_itself():
    x = var([2.0])
    assert fluid.layers.increment(x, 5.0).numpy().tolist() == [7.0]
    assert x.numpy().tolist() == [7.0]


def test_assign_into_a_variable_brings_its_graph_along():
    x, target = var([2.0], stop_gradient=False), var([0.0])
    fluid.layers.assign(x * 3.0, output=target)
    total(target * target).backward()
    assert x.gradient().tolist() == [36.0]


def test_set_value_keeps_the_graphs_of_others_right():
    layer = fluid.dygraph.Linear(1, 1, bias_attr=False)
    layer.weight.set_value(np.array([[5.0]], F32))
    total(layer(var([[2.0]]))).backward()
    assert layer.weight.gradient().tolist() == [[2.0]]
