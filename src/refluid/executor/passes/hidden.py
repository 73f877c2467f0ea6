"""Passes hidden outputs from an operator to its gradient: the argmax indices of a pooling."""

from __future__ import annotations

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.ops.signature import GRAD_SUFFIX


def link_hidden_outputs(graph: Graph) -> None:
    """Make hidden outputs, and let the gradient operators read them that can."""
    makers: dict[tuple[str, str], Node] = {}
    for node in graph.nodes:
        output = node.output() if node.op.hidden else None
        if output is not None:
            makers[node.op.type, output.name] = node
    for node in graph.nodes:
        forward = node.op.forward
        if forward is None or not forward.hidden:
            continue
        grad = node.input(forward.outputs[0].name + GRAD_SUFFIX)
        maker = makers.get((forward.type, grad.name.split(GRAD_SUFFIX)[0])) if grad is not None else None
        if maker is not None:
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
