"""Removes nodes whose results nothing reads, and marks gradients that are not needed.

What a body keeps for its gradient is found on the way: the gradient comes first, and what is left of it says what it
reads of the forward body.
"""

from __future__ import annotations

from refluid.executor.graph.late_readers import copy_for_late_readers
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Body, Graph, Region, all_nodes
from refluid.executor.graph.value import Value, Values, present


def drop_dead(graph: Graph) -> None:
    _sweep(graph, set(graph.fetches))
    if any(node.body is not None for node in graph.nodes):
        copy_for_late_readers(graph)  # what bodies keep for gradients is known now


def _sweep(region: Region, needed: set[Value]) -> None:
    kept = []
    for node in reversed(region.nodes):
        if node.body is None and len(node.inputs) <= len(node.op.inputs):
            wanted = [[v if v and (v in needed or v.persistable) else None for v in values] for values in node.outputs]
            if not node.op.side_effect and not any(v for values in wanted for v in values):
                node.detach()
                continue
            # What it changes in place it changes, whether somebody reads that or not.
            node.outputs = [
                _unless_empty([read or (v if v and v.base else None) for v, read in zip(values, some, strict=True)])
                for values, some in zip(node.outputs, wanted, strict=True)
            ]
        elif not _touches(node, needed):
            node.detach()
            continue
        if node.body is not None:
            _sweep_body(node, node.body, needed)
        needed.update(node.reads())
        needed.update(present(node.inputs))
        kept.append(node)
    region.nodes = kept[::-1]


def _sweep_body(node: Node, body: Body, needed: set[Value]) -> None:
    if body.saved_outside:
        pairs = [(value, outside) for value, outside in body.saved_outside.items() if outside in needed]
        body.saved = {value: "value" for value, _ in pairs}
        node.outputs[0] = [outside for _, outside in pairs]
    elif body.is_loop and body.forward is None and not body.gradients:
        node.outputs[1] = []  # nobody asks what the iterations were
    _sweep(body, set(body.outputs()))
    if body.forward is not None and body.forward.body is not None and body.is_loop:
        _link(body, body.forward.body)


def _link(gradient: Body, forward: Body) -> None:
    """Let the forward body save what is left to be read in the gradient's."""
    forward.gradients += 1
    by_value = {value for node in gradient.nodes for value in node.value_reads()} | set(gradient.outputs())
    by_shape = {value for node in gradient.nodes for value in node.shape_reads()}
    gradient.saved_params = {
        value: param for value, param in gradient.saved_params.items() if param in by_value or param in by_shape
    }  # fmt: skip
    for value, param in gradient.saved_params.items():
        plain = value.maker is not None and value.maker.body is None
        shape = param not in by_value and plain and forward.saved.get(value) != "value"
        forward.saved[value] = "shape" if shape else "value"


def _touches(node: Node, needed: set[Value]) -> bool:
    """Whether what a node with a body gives is needed, or it does something besides: prints, or calls a function."""
    if any(value in needed or value.persistable for value in node.writes()):
        return True
    return node.body is not None and any(
        part.op.side_effect or any(value.persistable for value in part.writes()) for part in all_nodes(node.body)
    )


def _unless_empty(values: Values) -> Values:
    return values if any(values) else []
