"""Gradients are accumulated in place: the terms of a sum are not computed one by one.

What a network takes of one tensor piece by piece (the steps of a sequence) gets a gradient per piece, each as large as
the whole and almost all zeros. Where the gradient operator has an `adds` rule, the first part becomes the sum, and the
others are added to it.
"""

from __future__ import annotations

import functools

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value, Values
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.registry import OpDef, Tensor, define
from refluid.ops.signature import GRAD_SUFFIX


def accumulate(graph: Graph) -> None:
    position = {node: i for i, node in enumerate(graph.nodes)}
    replaced: dict[Node, list[Node]] = {}
    for node in graph.nodes:
        if node.op is not sum_op:
            continue
        parts = [value for value in node.inputs[0] if value is not None and _can_add(graph, value)]
        parts.sort(key=lambda value: position[value.maker])  # type: ignore[index]
        if len(parts) >= 2:
            _add_up(graph, node, parts, replaced)
    if replaced:
        graph.rewrite(replaced.get)


def _can_add(graph: Graph, value: Value) -> bool:
    """Whether a part of a sum is one gradient, a dense tensor, which can be added to another."""
    maker = graph.only_for(value)
    return (
        maker is not None and maker.op.single and bool(maker.op.rules.adds) and maker.kernel is None
        and not maker.attrs.get("is_sparse")
    )  # fmt: skip


def _add_up(graph: Graph, node: Node, parts: list[Value], replaced: dict[Node, list[Node]]) -> None:
    """Every part but the first is added to the sum so far; the rest of the `sum`, if any, is kept."""
    total = node.output()
    assert total is not None
    left = [value for value in node.inputs[0] if value not in parts[1:]]
    alone = len(left) == 1 and not total.persistable
    name, variable = (total.name, total.variable) if alone else (parts[0].name, parts[0].variable)
    so_far = Value(name, variable)
    first = parts[0].maker
    assert first is not None
    first.give([[so_far]])
    for i, part in enumerate(parts[1:]):
        maker = part.maker
        assert maker is not None
        last = i == len(parts) - 2
        after = total if last and alone else Value(name, variable)
        after.base = so_far
        replaced[maker] = [_adding(maker, so_far, after)]
        so_far = after
    if alone:
        replaced[node] = []
    else:
        node.read(0, [so_far if value is parts[0] else value for value in left])


def _adding(node: Node, total: Value, after: Value) -> Node:
    op = _adding_op(node.op)
    inputs: list[Values] = [[total], *(list(values) for values in node.inputs)]
    added = Node(op, node.operator, inputs, [[after]], node.attrs, label=f"add_{node.op.type}")
    added.owners = node.owners
    return added


@functools.cache
def _adding_op(gradient: OpDef) -> OpDef:
    """Not registered: it exists in plans only."""
    rule = gradient.rules.adds[gradient.outputs[0].name.removesuffix(GRAD_SUFFIX)]

    @functools.wraps(rule)
    def add(total: Tensor, *args: object, **attrs: object) -> None:
        if not rule(total, *args, **attrs):
            total.add_(gradient.kernel(*args, **attrs))

    slot = gradient.outputs[0].name
    return define(
        add, slot, type=f"add_{gradient.type}", inplace={slot: "total"}, lod=None, nograd="*", rename=gradient.rename
    )
