"""Graphs of values: what a program becomes, and that every kind of broken graph is refused."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.executor.graph.build import graph_of
from refluid.executor.graph.late_readers import copy_for_late_readers
from refluid.executor.graph.node import Node
from refluid.executor.graph.value import Value
from refluid.executor.graph.verify import BrokenGraph, verify
from refluid.executor.passes.dead_code import drop_dead
from refluid.ops.array.array import take_from_array
from refluid.ops.shape.assign import assign

L = fluid.layers


def chain():
    """exp(square(x)), with both values."""
    x = fluid.data("x", [None, 2])
    out = L.exp(L.square(x))
    graph = graph_of(fluid.default_main_program().global_block(), ["x"], [out.name])
    return graph, *graph.nodes


def update():
    """A parameter, what reads it, and what updates it."""
    w = L.create_parameter([2], "float32", name="w")
    loss = L.mean(L.square(w))
    fluid.optimizer.SGD(0.1).minimize(loss)
    graph = graph_of(fluid.default_main_program().global_block(), [], [loss.name])
    return graph, graph.nodes[0], graph.nodes[-1]


def test_every_writing_of_a_variable_makes_a_value_of_its_own():
    x = fluid.data("x", [None, 2])
    y = L.scale(x, 2.0)
    before = L.exp(y)
    L.assign(x, y)
    after = L.exp(y)
    graph = graph_of(fluid.default_main_program().global_block(), ["x"], [before.name, after.name])
    first, second = (node.inputs[0][0] for node in graph.nodes if node.op.type == "exp")
    assert first.name == second.name == y.name and first is not second
    assert first.maker.op.type == "scale" and second.maker.op.type == "assign"
    verify(graph)


def test_an_update_makes_a_value_that_takes_over_the_memory_of_the_old_one():
    graph, square, sgd = update()
    (after,) = sgd.outputs[0]
    assert after.base is graph.states["w"] is square.inputs[0][0] and after.storage is after.base
    assert sgd in after.base.overwriters()
    verify(graph)


def test_a_loop_carries_what_it_writes_and_captures_what_it_reads():
    i, end, step = (L.fill_constant([1], "int64", n) for n in (0, 3, 1))
    (last,) = L.while_loop(lambda i: i < end, lambda i: [i + step], [i])
    graph = graph_of(fluid.default_main_program().global_block(), [], [last.name])
    (loop,) = (node for node in graph.nodes if node.body is not None)
    assert {value.name for value in loop.body.carried} >= {i.name}
    assert {value.name for value in loop.body.captures()[0]} == {end.name, step.name}
    assert len(loop.inputs[-1]) == len(loop.body.carried) == len(loop.body.carried_results) == len(loop.outputs[-1])
    verify(graph)


def test_a_value_that_is_read_before_it_is_made_is_refused():
    graph, square, exp = chain()
    graph.nodes = [exp, square]
    with pytest.raises(BrokenGraph, match="reads .* before it is computed"):
        verify(graph)


def test_a_value_that_nothing_makes_is_refused():
    graph, _, exp = chain()
    exp.read(0, [Value("nothing")])
    with pytest.raises(BrokenGraph, match="reads <value nothing> before it is computed"):
        verify(graph)


def test_a_value_that_is_made_twice_is_refused():
    graph, square, exp = chain()
    graph.nodes = [square, square, exp]
    with pytest.raises(BrokenGraph, match="<value .*> is computed twice, the second time by <node square>"):
        verify(graph)


def test_a_value_that_is_read_after_it_was_written_over_is_refused():
    graph, square, _ = update()
    late = Node(square.op, square.operator, [[graph.states["w"]]], [[Value("late")]], {})
    graph.append(late)
    with pytest.raises(BrokenGraph, match="reads <value w> after it was overwritten"):
        verify(graph)


def test_a_node_that_a_pass_moves_behind_an_update_reads_a_copy():
    graph, square, sgd = update()
    moved = Node(square.op, square.operator, [[graph.states["w"]]], square.outputs, {})
    others = [node for node in graph.nodes if node not in (square, sgd)]
    graph.set([*others, sgd, moved])
    (copied,) = moved.inputs[0]
    assert copied.maker.op.type == "assign" and copied.maker.inputs == [[graph.states["w"]]]
    assert graph.nodes[-3:] == [copied.maker, sgd, moved]


def test_a_body_that_updates_a_parameter_overwrites_it_for_what_comes_after():
    w = L.create_parameter([2], "float32", name="w")
    grad, rate = L.fill_constant([2], "float32", 1.0), L.fill_constant([1], "float32", 0.1)
    block = fluid.default_main_program().global_block()

    def step(i):
        slots = {"Param": w, "Grad": grad, "LearningRate": rate}
        block.program.current_block().append_op("sgd", inputs=slots, outputs={"ParamOut": w})
        return [i + 1]

    (last,) = L.while_loop(lambda i: i < 3, step, [L.fill_constant([1], "int64", 0)])
    graph = graph_of(block, [], [last.name])
    (loop,) = (node for node in graph.nodes if node.body is not None)
    assert graph.states["w"] in set(loop.overwrites())
    late = Node(assign, loop.operator, [[graph.states["w"]]], [[Value("late")]], {})
    graph.append(late)
    with pytest.raises(BrokenGraph, match="reads <value w> after it was overwritten"):
        verify(graph)
    copy_for_late_readers(graph)
    verify(graph)


def two_writes(inside=None):
    """The gradients of two writes to one element, the second of them in a branch if `inside` says so."""
    x = fluid.data("x", [2])
    x.stop_gradient = False
    i = L.fill_constant([1], "int64", 0)
    array = L.array_write(L.scale(x, 2.0), i)
    first = L.array_read(array, i)

    def write():
        L.array_write(L.scale(x, 3.0), i, array=array)

    if inside:
        L.cond(L.reduce_sum(x) > 0.0, lambda: write(), lambda: None)
    else:
        write()
    loss = L.reduce_sum(L.array_read(array, i) * L.array_read(array, i) + first)
    (grad,) = fluid.gradients(loss, x)
    return grad


def test_the_gradient_of_a_write_makes_a_value_that_takes_over_the_memory_of_the_array():
    grad = two_writes()
    graph = graph_of(fluid.default_main_program().global_block(), ["x"], [grad.name])
    takes = [node for node in graph.nodes if node.op is take_from_array]
    assert len(takes) == 2 and all(node.outputs[1][0].base is node.inputs[0][0] for node in takes)
    verify(graph)
    late = Node(takes[0].op, takes[0].operator, [list(values) for values in takes[0].inputs], [[Value("late")], []], {})
    graph.append(late)
    with pytest.raises(BrokenGraph, match=r"reads <value .*@GRAD> after it was overwritten"):
        verify(graph)


@pytest.mark.parametrize("inside", [False, True])
def test_an_element_that_is_written_twice_has_the_gradients_of_what_was_read_of_each(inside):
    grad = two_writes(inside)
    (value,) = fluid.Executor().run(feed={"x": np.float32([1.0, 2.0])}, fetch_list=[grad])
    np.testing.assert_allclose(value, 3.0 * 2 * 3.0 * np.float32([1.0, 2.0]) + 2.0)


def test_a_fetch_that_nothing_makes_is_refused():
    graph, *_ = chain()
    graph.fetches = [Value("nothing")]
    with pytest.raises(BrokenGraph, match="is fetched, but nothing computes it"):
        verify(graph)


def test_readers_that_do_not_read_are_refused():
    graph, square, _ = chain()
    square.outputs[0][0].readers[square] = None
    with pytest.raises(BrokenGraph, match="counts <node square> among its readers"):
        verify(graph)


def test_a_reader_that_nobody_knows_of_is_refused():
    graph, _, exp = chain()
    exp.inputs[0][0].readers.clear()
    with pytest.raises(BrokenGraph, match="but is not among its readers"):
        verify(graph)


def test_a_node_with_other_slots_than_its_operator_is_refused():
    graph, square, _ = chain()
    square.outputs.append([])
    with pytest.raises(BrokenGraph, match="2 lists of outputs, but 1 slots"):
        verify(graph)
    square.inputs.clear()
    with pytest.raises(BrokenGraph, match="0 lists of inputs, but 1 slots"):
        verify(graph)


def test_a_value_from_outside_that_a_node_computes_is_refused():
    graph, square, _ = chain()
    graph.feeds["x"].maker = square
    with pytest.raises(BrokenGraph, match="<value x> comes from outside, but <node square> computes it"):
        verify(graph)


def test_an_output_of_two_nodes_is_refused_by_its_maker():
    graph, square, exp = chain()
    exp.outputs[0] = list(square.outputs[0])
    with pytest.raises(BrokenGraph, match="is an output of <node exp>, but its maker is <node square>"):
        verify(graph)


def test_a_node_of_another_region_is_refused():
    graph, square, _ = chain()
    square.region = None
    with pytest.raises(BrokenGraph, match="<node square> is in a region that it does not belong to"):
        verify(graph)


def test_a_node_that_overwrites_what_it_does_not_read_is_refused():
    graph, _, exp = chain()
    exp.over = graph.feeds["x"]
    with pytest.raises(BrokenGraph, match="<node exp> overwrites <value x>, which it does not read"):
        verify(graph)


def test_a_gradient_of_a_loop_that_reads_what_no_iteration_saves_is_refused():
    x = fluid.data("x", [2])
    x.stop_gradient = False
    i = L.fill_constant([1], "int64", 0)
    _, last = L.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, L.square(y)], [i, L.assign(x)])
    (grad,) = fluid.gradients(last, x)
    graph = graph_of(fluid.default_main_program().global_block(), ["x"], [grad.name])
    drop_dead(graph)  # it finds what has to be saved
    verify(graph)
    (loop,) = (node for node in graph.nodes if node.body is not None and node.body.forward is None)
    loop.body.saved.clear()
    with pytest.raises(BrokenGraph, match="of an iteration that does not save it"):
        verify(graph)


def test_a_body_that_gives_what_it_does_not_make_is_refused():
    i = L.fill_constant([1], "int64", 0)
    (last,) = L.while_loop(lambda i: i < 3, lambda i: [i + 1], [i])
    graph = graph_of(fluid.default_main_program().global_block(), [], [last.name])
    (loop,) = (node for node in graph.nodes if node.body is not None)
    loop.body.carried_results[0] = Value("nothing")
    with pytest.raises(BrokenGraph, match="returns <value nothing>, but nothing in it computes it"):
        verify(graph)
    loop.body.carried_results.pop()
    with pytest.raises(BrokenGraph, match="carries other variables into its body than out of it"):
        verify(graph)
