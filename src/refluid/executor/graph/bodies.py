"""Bodies of nodes: blocks of operators become functions with explicit carried values, captures and results."""

from __future__ import annotations

from refluid.executor.graph.in_backward import changed_inputs
from refluid.executor.graph.names import GradientNames, Names
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Body
from refluid.executor.graph.value import Value, Values
from refluid.ir.block import Block
from refluid.ir.operator import EMPTY, Operator
from refluid.ops.shape.assign import assign

Carried = dict[str, tuple[str, Value | None]]  # name inside: (name outside, value before)


def new_body(
    names: Names, operator: Operator, forward: tuple[Node, Names] | None = None, loop: bool = False
) -> tuple[Body, Names]:
    """The empty body of an operator; of a gradient that of `forward`, which it reads values of."""
    block = operator.sub_block
    assert block is not None
    body = Body(block)
    body.is_loop = loop
    if forward is None:
        return body, Names(body, block, names.graph, names)
    body.forward = forward[0]
    return body, GradientNames(body, block, names.graph, names, forward[1])


def outside_names(block: Block) -> dict[str, None]:
    """Variables around a block that its operators, or those of blocks inside it, write."""
    written: dict[str, None] = {}
    for op in block.ops:
        for slot, names in op.outputs.items():
            if slot != "Scope":
                written.update(dict.fromkeys(names))
        written.update(dict.fromkeys(changed_inputs(op)))
        if op.sub_block is not None:
            written.update(outside_names(op.sub_block))
            if op.definition is not None and op.definition.forward is not None:
                # It takes the gradients of what its operator has overwritten, and leaves others.
                written.update(dict.fromkeys(op.inputs.get("Out@GRAD", ())))
    written.pop(EMPTY, None)
    return {name: None for name in written if name not in block.vars}


def carried_outside(names: Names, inner: Names, written: dict[str, str] | None = None) -> Carried:
    """Let the body carry the variables around it that it writes: {name inside: name outside}."""
    if written is None:
        written = {name: name for name in outside_names(inner.block)}
    body = inner.region
    assert isinstance(body, Body)
    carried: Carried = {}
    for name, outside in written.items():
        before = names.known(outside)
        carried[name] = outside, before
        first = before
        if body.is_loop:
            first = Value(name, names.declared(outside) if before is None else before.variable)
            first.region = body
            body.carried.append(first)
        if first is not None and (body.is_loop or name != outside or name in inner.local):
            inner.values[name] = first
        inner.history[name] = [(-1, first)]
    return carried


def leave_body(names: Names, inner: Names, node: Node, carried: Carried) -> Node:
    """Give a node its finished body, and the variables around it their values behind it."""
    body = inner.region
    assert isinstance(body, Body)
    node.body = body
    params = dict(zip(carried, body.carried, strict=True)) if body.is_loop else {}
    body.carried = []
    before: Values = []
    after: list[Value] = []
    for name, (outside, initial) in carried.items():
        result = inner.values.get(name)
        if result is None or (result is initial and not body.is_loop):
            continue  # nothing has written it
        if not body.is_loop and result.region is not body:
            result = _copied(body, node.operator, result)
        if params:
            body.carried.append(params[name])
        body.carried_results.append(result)
        before.append(initial)
        variable = names.declared(outside)
        after.append(Value(outside, variable, initial if initial is not None and initial.is_array else None))
    node.inputs.append(before)
    node.outputs.append([*after])
    for value in before:
        if value is not None:
            value.readers[node] = None
    names.region.append(node)
    node.give(node.outputs)
    for value in after:
        names.write(value.name, value)
    return node


def _copied(body: Body, operator: Operator, value: Value) -> Value:
    copied = value.next()
    body.append(Node(assign, operator, [[value]], [[copied]], {}))
    return copied
