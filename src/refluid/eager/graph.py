"""The graph that the tape leaves behind: where gradients gather and how they are passed on.

Note [What a node keeps]
A node keeps what its gradient rule reads (`saved`), where to pass gradients on (`sources`), and nothing else: no
variable and so no value is alive because of the graph alone. Variables hold their node; when a variable dies and
nobody downstream needs its node, that part of the graph dies with it.
"""

from __future__ import annotations

import itertools
from typing import Any

_order = itertools.count()
FREED: Any = object()


class Leaf:
    """Where the gradient of a variable gathers that no operator made (or none that is remembered)."""

    __slots__ = ("grad", "var")
    node = None

    def __init__(self, var: Any):
        self.grad: Any = None
        self.var = var  # a weak reference


class Node:
    """One remembered operator call. With a single output the node is also where that output's gradient gathers."""

    __slots__ = ("attrs", "depth", "grad", "needs", "op", "order", "outs", "saved", "sources", "stamp", "var")

    def __init__(self, op: Any, attrs: dict, saved: Any, sources: list, needs: tuple, stamp: int, depth: int):
        self.op = op
        self.attrs = attrs
        self.saved = saved
        self.sources = sources  # per differentiable input: Leaf | Node | Out | list of them | None
        self.needs = needs
        self.stamp = stamp  # of a call that nothing asked gradients of: the step it belongs to; else 0
        self.depth = depth
        self.order = next(_order)
        self.grad: Any = None
        self.var: Any = None
        self.outs: list | None = None

    @property
    def node(self) -> Node:
        return self


class Out:
    """Where the gradient of one of several outputs gathers."""

    __slots__ = ("grad", "node", "var")

    def __init__(self, node: Node):
        self.grad: Any = None
        self.node = node
        self.var: Any = None
