"""Passes hidden outputs from an operator to its gradient: the argmax indices of a pooling."""

from __future__ import annotations

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.ops.registry import OpDef
from refluid.ops.signature import GRAD_SUFFIX, owner_of


def link_hidden_outputs(graph: Graph) -> None:
    """Make hidden outputs, and let the gradient operators read them that can."""
    makers: dict[tuple[OpDef, str], list[Node]] = {}  # several where operators write one variable in turn
    for node in graph.nodes:
        output = node.output() if node.op.hidden else None
        if output is not None:
            makers.setdefault((node.op, output.name), []).append(node)
    for node in graph.nodes:
        forward = node.op.forward
        if forward is None or not forward.hidden:
            continue
        grad = node.input(forward.outputs[0].name + GRAD_SUFFIX)
        candidates = makers.get((forward, owner_of(grad.name)), []) if grad is not None else []
        if len(candidates) > 1:
            read = node.input(forward.inputs[0].name)
            candidates = [maker for maker in candidates if maker.inputs[0] == [read]]
        for maker in candidates[:1]:
            _link(maker, node)


def _link(maker: Node, gradient: Node) -> None:
    output = maker.output()
    assert output is not None
    for index in maker.op.hidden:
        slot = maker.op.outputs[index].name
        if slot not in gradient.op.input_index:
            continue
        if not maker.outputs[index]:
            maker.give([[Value(f"{output.name}@{slot}")] if i == index else v for i, v in enumerate(maker.outputs)])
        gradient.read(gradient.op.input_index[slot], list(maker.outputs[index]))
