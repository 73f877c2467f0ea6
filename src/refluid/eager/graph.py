"""The graph that the tape leaves behind: where gradients are accumulated and how they are passed on.

Note [What a node keeps]
A node keeps what its gradient rule reads (`saved`), where to pass gradients on (`sources`), and nothing else: no
variable and so no value is alive because of the graph alone. Variables hold their node; when a variable dies and
nobody downstream needs its node, that part of the graph dies with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, final

import torch

from refluid.eager.postponed import Postponed
from refluid.tensor.selected_rows import SelectedRows

if TYPE_CHECKING:
    import weakref

    from refluid.eager.variable import VarBase
    from refluid.ir.base_variable import BaseVariable

next_order = itertools.count().__next__
FREED: Any = object()

Gradient: TypeAlias = torch.Tensor | SelectedRows
"""A gradient: dense, or rows of one."""


@final
class Leaf:
    """Accumulates the gradient of a variable that no remembered operator made."""

    __slots__ = ("held", "var")
    node = None

    def __init__(self, var: weakref.ref[VarBase]):
        self.held: Gradient | Postponed | None = None
        self.var = var  # a weak reference

    @property
    def grad(self) -> Gradient | None:
        held = self.held
        return held.value() if isinstance(held, Postponed) else held

    @grad.setter
    def grad(self, value: Gradient | None) -> None:
        self.held = value


@final
class Node:
    """One remembered operator call. With a single output the node also accumulates that output's gradient.

    One is made for every operator call, so the constructor does not exist: the tape sets what differs from below.
    """

    recipe: Any
    attrs: dict
    saved: Any
    sources: tuple  # per differentiable input: Leaf | Node | Out | Stopped | list of them | None
    order: int
    var: weakref.ref[VarBase] | None = None  # of the output
    grad: Gradient | None = None
    # Of several outputs: their gradients and weak references in one row, and per output slot the index in it, a list of
    # indices, or None where there is no gradient.
    outs: Sequence[Any] | None = None
    grads: list
    vars: list
    stamp = 0  # of a call that nothing asked gradients of: the step it belongs to
    depth = 0

    @property
    def node(self) -> Node:
        return self

    def needs(self) -> tuple[bool, ...]:
        return tuple([source is not None and type(source) is not Stopped for source in self.sources])


@final
class Out:
    """Accumulates the gradient of one of several outputs.

    It knows its node and the node does not know it: a reference cycle would keep all that the node has saved until
    Python's collector runs.
    """

    __slots__ = ("index", "node")

    def __init__(self, node: Node, index: int):
        self.node = node
        self.index = index

    @property
    def grad(self) -> Gradient | None:
        return self.node.grads[self.index]

    @grad.setter
    def grad(self, value: object) -> None:
        self.node.grads[self.index] = value

    @property
    def var(self) -> weakref.ref[VarBase] | None:
        return self.node.vars[self.index]

    @var.setter
    def var(self, value: object) -> None:
        self.node.vars[self.index] = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Out and other.node is self.node and other.index == self.index

    def __hash__(self) -> int:
        return hash((id(self.node), self.index))


@final
class Stopped:
    """An input that takes part but is stopped: backward tells it so, and it keeps nothing alive."""

    __slots__ = ("var",)

    def __init__(self, var: weakref.ref[VarBase]):
        self.var = var


# What a source is that wants a gradient; a list is one for a slot of many.
LIVE = frozenset({Leaf, Node, Out, list})

Accumulator: TypeAlias = Leaf | Node | Out
"""What accumulates the gradient of a variable."""


class Watch(Protocol):
    """Is told while a backward pass runs which gradients are complete."""

    def leaves(self) -> Mapping[Any, BaseVariable]:
        """{accumulator: its parameter}, of the parameters that are watched."""
        ...

    def begin(self, reached: Iterable[BaseVariable]) -> None:
        """A backward pass begins that will reach these parameters."""
        ...

    def buffer(self, param: BaseVariable) -> torch.Tensor:
        """The memory to compute the gradient of a parameter in, where that is possible."""
        ...

    def ready(self, param: BaseVariable) -> None:
        """The gradient of a parameter is complete."""
        ...


def source_of(var: VarBase) -> Accumulator | Stopped | None:
    """What accumulates the gradient of an input, when some input of the call asks for gradients."""
    if var.stop_gradient:
        if var._stopped is None and var._t.is_floating_point():
            var._stopped = Stopped(var._ref())
        return var._stopped
    accumulator = var._grad_node
    if accumulator is None:
        if not var._t.is_floating_point():
            return None
        accumulator = var._grad_node = Leaf(var._ref())
    return accumulator
