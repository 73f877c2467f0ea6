"""Computes in place where nothing else reads the input: a ReLU after a convolution overwrites its input."""

from __future__ import annotations

import inspect

from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.ops.loss.softmax_with_cross_entropy import (
    grad_over_softmax,
    softmax_with_cross_entropy,
    softmax_with_cross_entropy_grad,
)
from refluid.ops.registry import OpDef, define

# Not registered: it exists in plans only. It is told whether its input is read again.
_GradOverSoftmax = define(
    grad_over_softmax, "Logits@GRAD", type="softmax_with_cross_entropy_grad_", lod=None, nograd="*",
    forward=softmax_with_cross_entropy,
)  # fmt: skip


def compute_in_place(graph: Graph) -> None:
    uses = LastReads(graph)
    kept: set[Value] = set()  # what gradients that may be asked for twice read of the forward pass; see jit/split.py
    for i, node in enumerate(graph.nodes):
        if node is graph.boundary:
            kept = {value for before in graph.nodes[:i] for value in before.writes()}
        elif node.op.rules.over is not None and node.kernel is None:
            x = node.inputs[0][0]
            if x not in kept and uses.free(x, i):
                node.kernel, node.label, node.over = node.op.rules.over, f"{node.op.type}_", x
                taken = _attributes(node.op)
                node.attrs = {name: value for name, value in node.attrs.items() if name in taken}
        elif node.op is softmax_with_cross_entropy_grad and node.kernel is None:
            softmax = node.input("Softmax")
            if uses.free(softmax, i):
                node.op, node.label, node.over = _GradOverSoftmax, _GradOverSoftmax.type, softmax


def _attributes(op: OpDef) -> set[str]:
    """The attributes that the kernel which overwrites its input takes."""
    assert op.rules.over is not None
    try:
        parameters = inspect.signature(op.rules.over).parameters
    except ValueError:  # a function of torch's own
        return set()
    return {name for name, parameter in parameters.items() if parameter.kind == parameter.KEYWORD_ONLY}


class LastReads:
    """Where each value is read last, and of which values there may be views by then (a reshape's result)."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.last: dict[Value, int] = {}
        self.viewed: set[Value] = set()
        viewers: set[Value] = set()
        for i, node in enumerate(graph.nodes):
            for value in node.value_reads():
                if value in viewers:
                    self.viewed.add(value)
                if not node.op.fresh:
                    viewers.add(value)
                self.last[value] = i

    def free(self, value: Value | None, position: int) -> bool:
        """Whether the node at a position, which reads this value, may overwrite it."""
        return (
            value is not None
            and self.graph.own(value)
            and value.maker is not None
            and value.maker.op.fresh
            and self.last[value] == position
            and value not in self.viewed
        )
