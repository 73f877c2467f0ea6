"""The rules of gradient(): who has one, when, and what it is (see docs/architecture.md, and the four generations)."""

import gc
import weakref

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from refluid.eager import base

D = fluid.dygraph
L = fluid.layers


@pytest.fixture(autouse=True)
def imperative():
    with D.guard():
        yield


def var(*values, stop=None):
    made = D.to_variable(np.array(values, "float32"))
    if stop is not None:
        made.stop_gradient = stop
    return made


def test_parameters_ask_for_gradients_and_other_variables_do_not():
    assert not D.Linear(2, 2).weight.stop_gradient
    assert var(1).stop_gradient and (var(1) * 2).stop_gradient
    assert not (var(1) * var(2, stop=False)).stop_gradient


def test_results_of_to_variable_get_gradients_where_nothing_else_asks():
    x = var(1, 2)  # stopped, as 1.5 has it too
    L.reduce_sum(x * x).backward()
    assert x.gradient().tolist() == [2, 4]


def test_they_get_none_where_something_else_asks():
    x, w = var(1, 2), var(3, 4, stop=False)
    L.reduce_sum(x * w).backward()
    assert w.gradient().tolist() == [1, 2] and x.gradient() is None


def test_a_running_sum_of_stopped_variables_does_not_grow_the_graph():
    total = var(0)
    nodes = []
    for _ in range(5):
        w = var(1, stop=False)
        loss = w * 2
        loss.backward()
        total = total + loss.detach()
        nodes.append(weakref.ref(loss))
    del loss, w
    gc.collect()
    assert all(ref() is None for ref in nodes)


def test_none_for_a_variable_that_took_no_part():
    x, other = var(1, stop=False), var(1, stop=False)
    unused = other * 2
    (x * 2).backward()
    assert other.gradient() is None and unused.gradient() is None
    assert var(1).gradient() is None


def test_none_for_a_detached_variable_and_for_one_stopped_in_the_middle():
    x = var(1, 2, stop=False)
    y, z = x.detach(), x * 3
    z.stop_gradient = True
    (y * 2 + z + x).backward()
    assert y.stop_gradient and y.gradient() is None and z.gradient() is None and x.gradient().tolist() == [1, 1]


@pytest.mark.parametrize("prune", ["detach", "stop_gradient"])
def test_the_two_examples_of_pruning(prune):
    """Seed 002, of 2.0-alpha: the pruned result reads zeros, and the layer behind it has no gradient."""
    with paddle.imperative.guard():
        a, b, c = (D.to_variable(np.arange(2 * n, dtype="float32").reshape(2, n)) for n in (13, 3, 5))
        fc, fc2 = D.Linear(13, 5, dtype="float32"), D.Linear(3, 3, dtype="float32")
        out1, out2 = fc(a), fc2(b)
        if prune == "detach":
            out1 = out1.detach()
        else:
            out1.stop_gradient = True
        out = L.concat(input=[out1, out2, c], axis=1)
        out.backward()
        assert (out1.gradient() == 0).all()
        assert fc.weight.gradient() is None and fc2.weight.gradient().any()


def test_the_mode_of_2_0_alpha_ends_with_what_switched_it_on():
    D.disable_dygraph()
    paddle.enable_imperative()
    assert base.tape().zeros_where_stopped
    paddle.disable_imperative()
    assert not base.tape().zeros_where_stopped


def test_a_loss_stopped_by_hand_gives_zeros_to_all_behind_it():
    net, x = D.Linear(2, 2), var([1, 2], stop=False)
    before = net.weight.numpy()
    loss = L.reduce_sum(net(x))
    loss.stop_gradient = True
    loss.backward()
    for one in (loss, x, net.weight, net.bias):
        assert one.gradient().tolist() == np.zeros(one.shape).tolist()
    fluid.optimizer.SGD(0.1, parameter_list=net.parameters()).minimize(loss)
    assert np.array_equal(net.weight.numpy(), before)


def test_an_unused_output_of_a_used_call_has_zeros():
    x = var([1, 2, 3, 4], stop=False)
    used, unused = L.split(x, 2, dim=1)
    L.reduce_sum(used).backward()
    assert unused.gradient().tolist() == [[0, 0]] and x.gradient().tolist() == [[1, 1, 0, 0]]


def test_computed_variables_keep_their_gradients_while_they_are_held():
    x = var(1, 2, stop=False)
    y = x * x
    z = y * 3
    z.backward()
    assert z.gradient().tolist() == [1, 1] and y.gradient().tolist() == [3, 3] and x.gradient().tolist() == [6, 12]


def test_a_second_backward_replaces_gradients():
    x = var(1, 2, stop=False)
    (x * 2).backward()
    (x * 3).backward()
    assert x.gradient().tolist() == [3, 3]


def test_a_cleared_gradient_reads_as_zeros():
    x = var(1, 2, stop=False)
    (x * 2).backward()
    x.clear_gradient()
    assert x.gradient().tolist() == [0, 0]
    (x * 3).backward()
    assert x.gradient().tolist() == [3, 3]


def test_backward_of_a_variable_that_is_not_a_number_begins_with_ones():
    x = var(1, 2, stop=False)
    y = x * x
    y.backward()
    assert x.gradient().tolist() == [2, 4]


def test_backward_of_a_leaf_changes_nothing():
    x = var(1, 2, stop=False)
    x.backward()
    assert x.gradient() is None


def test_a_backward_of_a_freed_graph_changes_nothing_and_warns():
    x = var(1, 2, stop=False)
    y = x * x
    y.backward()
    x.clear_gradient()
    with pytest.warns(UserWarning, match="freed by an earlier"):
        y.backward()
    assert x.gradient().tolist() == [0, 0]


def test_a_variable_used_many_times_gets_the_sum():
    x = var(2, stop=False)
    (x * x + x * 3 + x).backward()
    assert x.gradient().tolist() == [8]


def test_a_sparse_gradient_is_values_and_rows():
    table = D.Embedding([10, 2], is_sparse=True)
    table(D.to_variable(np.array([3, 7]))).backward()
    values, rows = table.weight.gradient()
    assert values.tolist() == [[1, 1], [1, 1]] and rows.tolist() == [3, 7]
    table.weight.clear_gradient()
    assert table.weight.gradient() is None


def test_the_gradient_as_a_variable():
    x = var(1, 2, stop=False)
    (x * 2).backward()
    assert x._grad_ivar().numpy().tolist() == [2, 2] and x._grad_ivar().name == f"{x.name}@GRAD"
    assert np.array(x._grad_value()).tolist() == [2, 2]
    assert var(1)._grad_ivar() is None


def test_integers_have_no_gradient():
    n = D.to_variable(np.array([1, 2]))
    n.stop_gradient = False
    (n.astype("float32") * var(1, 1, stop=False)).backward()
    assert n.gradient() is None


def test_py_func_with_a_backward_function():
    x = var(1, 2, stop=False)
    out = var(0, 0)
    result = L.py_func(
        lambda v: np.square(np.array(v)), x, out, backward_func=lambda v, o, g: 2 * np.array(v) * np.array(g)
    )
    (result * 3.0).backward()
    assert result.numpy().tolist() == [1, 4] and x.gradient().tolist() == [6, 12]


def test_a_variable_that_is_stopped_and_let_go_on_keeps_its_graph():
    x = var(1, 2, stop=False)
    y = x * 2
    y.stop_gradient = True
    a = y * 3
    y.stop_gradient = False
    fluid.layers.reduce_sum(a + y * 5).backward()
    assert x.gradient().tolist() == [10.0, 10.0] and y.gradient().tolist() == [5.0, 5.0]


def test_gradients_end_at_a_variable_that_asks_for_them_later():
    x = var(1, 2)
    y = x * 2
    y.stop_gradient = False
    fluid.layers.reduce_sum(y * y).backward()
    assert y.gradient().tolist() == [4.0, 8.0] and x.gradient() is None
    first, second = fluid.layers.split(var(1, 2, 3, 4), 2, dim=0)
    second.stop_gradient = False
    fluid.layers.reduce_sum(second * second).backward()
    assert second.gradient().tolist() == [6.0, 8.0] and first.gradient() is None
