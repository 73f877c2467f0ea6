"""Merges the update operators of many parameters into one fused call."""

from __future__ import annotations

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value, Values, present
from refluid.ops.fused import run_fused


def merge_updates(graph: Graph) -> None:
    """Neighbouring updates of one kind with equal attributes become one node, if they do not wait for one another."""
    result: list[Node] = []
    group: list[Node] = []
    read: set[Value] = set()
    outputs: set[Value] = set()
    for node in graph.nodes:
        if group and not (
            _alike(group[0], node) and outputs.isdisjoint(present(node.inputs)) and _may_change(node, read)
        ):
            result.append(_merged(group))
            group, read, outputs = [], set(), set()
        if node.op.rules.fused is not None and node.kernel is None:
            group.append(node)
            read.update(present(node.inputs))
            outputs.update(node.writes())
        else:
            result.append(node)
    if group:
        result.append(_merged(group))
    graph.set(result)


def _alike(a: Node, b: Node) -> bool:
    return (
        a.op is b.op
        and b.kernel is None
        and a.attrs == b.attrs
        and [bool(n) for n in a.inputs] == [bool(n) for n in b.inputs]
    )


def _may_change(update: Node, read: set[Value]) -> bool:
    """Whether it overwrites nothing of what others read in the same call."""
    return read.isdisjoint(value.base for value in update.writes() if value.base is not None)


def _merged(group: list[Node]) -> Node:
    first = group[0]

    def call(*lists: object, **attrs: object) -> None:
        run_fused(first.op, lists, attrs)

    call.__name__ = f"{first.op.type}_all"
    inputs: list[Values] = [
        [node.inputs[i][0] for node in group] if values else [] for i, values in enumerate(first.inputs)
    ]
    outputs: list[Values] = [
        [node.outputs[i][0] if node.outputs[i] else None for node in group] for i in range(len(first.outputs))
    ]
    merged = Node(first.op, first.operator, inputs, outputs, first.attrs, kernel=call, label=call.__name__)
    merged.grouped = True
    return merged
