"""Values: what nodes hand to one another.

Note [Values and variables]
    A program names variables and may write one several times; every writing makes a value of its own here, so what a
    node reads never changes its meaning, wherever the node goes. `name` is the variable's, for the code generator and
    for errors. A kernel that changes its input in place (an update, a write to an array) returns a value with `base`,
    the value whose memory it reuses: all readers of `base` have to come before it. `verify` looks after both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from refluid.core.dtypes import VarType

if TYPE_CHECKING:
    from refluid.executor.graph.node import Node
    from refluid.executor.graph.region import Region
    from refluid.ir.variable import Variable


class Value:
    """One value of a run: made by one node, or given to a region from outside (`maker` is None)."""

    __slots__ = ("base", "maker", "name", "readers", "region", "variable")

    def __init__(self, name: str, variable: Variable | None = None, base: Value | None = None):
        self.name = name
        self.variable = variable  # dtype, shape, LoD level and whether it is persistable; None: made up by a pass
        self.base = base
        self.maker: Node | None = None
        self.region: Region | None = None  # where it is made
        self.readers: dict[Node, None] = {}  # nodes, those inside of bodies too, with this value among their inputs

    def __repr__(self) -> str:
        return f"<value {self.name}>"

    @property
    def persistable(self) -> bool:
        return self.variable is not None and self.variable.persistable

    @property
    def is_array(self) -> bool:
        """Whether it is an array of tensors, the one kind of value that operators change in place."""
        return self.variable is not None and self.variable.type == VarType.LOD_TENSOR_ARRAY

    @property
    def shape(self) -> tuple[int, ...]:
        """As declared, -1 for what only a run tells; () if nothing is known."""
        return () if self.variable is None else self.variable.shape

    @property
    def may_be_none(self) -> bool:
        """Whether a run may leave it out: it is made by a body."""
        return self.maker is not None and self.maker.body is not None

    @property
    def storage(self) -> Value:
        """The first value in the same memory."""
        value = self
        while value.base is not None:
            value = value.base
        return value

    def overwriters(self) -> Iterator[Node]:
        """Nodes that change it in place; all other readers have to come before them."""
        for reader in self.readers:
            if reader.over is self or any(self in reader.inputs[source] for source in reader.op.inplace.values()):
                yield reader

    def next(self) -> Value:
        """Another value of the same variable."""
        return Value(self.name, self.variable)


Values = list[Value | None]


def present(lists: list[Values]) -> Iterator[Value]:
    for values in lists:
        for value in values:
            if value is not None:
                yield value
