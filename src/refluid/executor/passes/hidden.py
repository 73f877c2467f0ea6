"""Passes hidden outputs from an operator to its gradient: the argmax indices of a pooling."""

from __future__ import annotations

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.ops.registry import OpDef


def link_hidden_outputs(graph: Graph) -> None:
    """Make hidden outputs, and let the gradient operators read them that can."""
    for node in graph.nodes:
        forward = node.op.forward
        if forward is not None and forward.hidden:
            maker = _forward_node(node, forward)
            if maker is not None and maker.region is graph:
                _link(maker, node)


def _forward_node(gradient: Node, forward: OpDef) -> Node | None:
    """The node that this is the gradient of.

    It has made the value of Out that the gradient reads, unless another operator has written the variable since. Then
    it is one that computes the same: of the same inputs, with the same attributes.
    """
    out, first = (gradient.input(slots[0].name) for slots in (forward.outputs, forward.inputs))
    maker = out.maker if out is not None and out.maker is not None and out.maker.op is forward else None
    candidates = [] if maker is None else [maker]
    candidates += [] if first is None else [reader for reader in first.readers if reader.op is forward]
    return next((node for node in candidates if _computes_the_same(node, gradient)), maker)


def _computes_the_same(node: Node, gradient: Node) -> bool:
    slots = [slot.name for slot in node.op.inputs if slot.name in gradient.op.input_index]
    return all(node.input(slot) is gradient.input(slot) for slot in slots) and all(
        gradient.attrs.get(name, value) == value for name, value in node.attrs.items()
    )


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
