"""Functions of the user's own in front of an operator: what they build, and how it is trained, goes into the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from refluid.autodiff.backward import append_backward
from refluid.contrib.slim.quantization.editing import check_given, in_order
from refluid.core import unique_name
from refluid.ir.graph import Graph
from refluid.ir.graph_view import IrGraph, IrNode, IrOpNode, IrVarNode
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.layers.data import fluid_data
from refluid.layers.reduce import mean
from refluid.tensor.scope import Scope, scope_guard

if TYPE_CHECKING:
    from refluid.executor.executor import Executor


def insert_function(
    graph: IrGraph, function: Callable, node: IrVarNode, op: IrOpNode, scope: Any, executor: Any,
    optimizer: Callable | None,
) -> IrVarNode:  # fmt: skip
    """Let `op` read `function(node)`, and return the node of that.

    The function builds a program of its own, with the gradient of its mean and the updates of its parameters where the
    graph is for training. All of it moves into the graph, but for the mean: the gradient of `op` takes its place.
    """
    check_given("QuantizationTransformPass with functions of your own", scope=scope, executor=executor)
    source, names = _build(graph, function, node, scope, executor, optimizer)
    moved = _move(graph, source, names)
    out_node, in_node = moved[names["out"]], moved[names["in"]]
    for reader in in_node.outputs:
        graph.update_input_link(in_node, node, reader)
    graph.update_input_link(node, out_node, op)
    if not graph.is_test():
        _join_gradients(graph, node, op, out_node, moved.get(f"{names['in']}@GRAD"), moved[f"{names['out']}@GRAD"])
    graph.safe_remove_nodes(in_node)
    graph.out_node_mapping_table[out_node.name()] = node.name()  # type: ignore[attr-defined]  # passes put it there
    return out_node


def _build(
    graph: IrGraph, function: Callable, node: IrVarNode, scope: Scope, executor: Executor, optimizer: Callable | None
) -> tuple[IrGraph, dict[str, str]]:
    main, startup = Program(), Program()
    with program_guard(main, startup), unique_name.guard(f"{node.name()}_"):
        x = fluid_data(f"{node.name()}_tmp_input", shape=node.shape(), dtype="float32")
        out = function(x)
        loss = mean(out)
        assert isinstance(loss, Variable)
        if not graph.is_test():
            check_given("QuantizationTransformPass with functions of your own", optimizer_func=optimizer)
            x.stop_gradient = False
            if main.all_parameters():
                optimizer().minimize(loss)  # type: ignore[misc]
            else:  # nothing of it is trained, but gradients go through it
                append_backward(loss)
    with scope_guard(scope):
        executor.run(startup)
    return IrGraph(Graph(main.desc), graph.is_test()), {"in": x.name, "out": out.name, "loss": loss.name}  # type: ignore[attr-defined]


def _move(graph: IrGraph, source: IrGraph, names: dict[str, str]) -> dict[str, Any]:
    """Copy the nodes of `source`, without the loss and what is for it alone: the last node of each name."""
    left = _for_the_loss(source, names["loss"])
    new: dict[int, IrNode] = {}
    last: dict[str, Any] = {}
    for old in in_order(source.all_nodes()):
        if old.id() in left:
            continue
        if old.is_op():
            copied: IrNode = graph.create_op_node_from_desc(old.op())
        elif old.is_ctrl_var():
            copied = graph.create_control_dep_var()
        else:
            copied = graph.create_var_node_from_desc(old.var())
        new[old.id()] = last[old.name()] = copied
    for old in in_order(source.all_nodes()):
        for reader in old.outputs:
            if old.id() in new and reader.id() in new:
                graph.link_to(new[old.id()], new[reader.id()])
    return last


def _for_the_loss(source: IrGraph, loss: str) -> set[int]:
    """The mean with its gradient, and the variables between them."""
    left: set[int] = set()
    for op in source.all_op_nodes():
        if {loss, f"{loss}@GRAD"} & {*op.input_arg_names(), *op.output_arg_names()}:
            left.add(op.id())
    left |= {node.id() for node in source.all_var_nodes() if node.name() in (loss, f"{loss}@GRAD")}
    return left


def _join_gradients(
    graph: IrGraph, node: IrVarNode, op: IrOpNode, out_node: IrVarNode, last: IrVarNode | None, first: IrVarNode
) -> None:
    """Lead the gradient of `op` into the function's own (`first`), and what that gives (`last`) to the variable."""
    result = op.outputs[0].name()
    backward = next(reader for reader in graph._find_node_by_name(graph.all_var_nodes(), f"{result}@GRAD").outputs
                    if reader.name() == f"{op.name()}_grad")  # fmt: skip
    graph.update_input_link(node, out_node, backward)
    wanted = [out for out in backward.outputs if f"{node.name()}@GRAD" in out.name()]
    if not wanted:  # the gradient of the operator has not given it so far
        (slot,) = (slot for slot in backward.op().input_names() if out_node.name() in backward.input(slot))
        backward.op().set_output(f"{slot}@GRAD", [first.name()])
        graph.link_to(backward, first)
    else:
        graph.update_output_link(wanted[0], first, backward)
    if last is not None and wanted:
        for writer in last.inputs:
            graph.update_output_link(last, wanted[0], writer)
        graph.safe_remove_nodes(last)
