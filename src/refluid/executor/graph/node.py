"""Nodes: calls of kernels, and operators that carry a body."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from refluid.executor.graph.value import Value, Values, present
from refluid.ir.operator import Operator
from refluid.ops.registry import OpDef

if TYPE_CHECKING:
    from refluid.executor.graph.region import Body, Region


class Node:
    """One call of a kernel.

    `inputs` and `outputs` hold a list of values per slot of `op`, with None in place of an absent one. A node with a
    body has one list more on either side: what the variables that the body writes are before and after it.
    """

    __slots__ = (
        "attrs", "body", "grouped", "inputs", "kernel", "label", "op", "operator", "outputs", "over", "owners",
        "region",
    )  # fmt: skip

    def __init__(
        self,
        op: OpDef,
        operator: Operator,
        inputs: list[Values],
        outputs: list[Values],
        attrs: dict[str, Any],
        kernel: Callable | None = None,
        label: str = "",
    ):
        self.op = op
        self.operator = operator  # the line and variables that errors show
        self.attrs = attrs
        self.kernel = kernel  # in place of op.kernel
        self.label = label  # what the plan calls the kernel
        self.grouped = False  # one call for many updates: every slot holds one value per update
        self.over: Value | None = None  # the input that the kernel overwrites, which nothing reads any more
        self.body: Body | None = None
        self.region: Region | None = None
        # Of a gradient: per output slot, the values that it gives gradients of. They are ragged alike.
        self.owners: list[Values] | None = None
        self.inputs = inputs
        self.outputs: list[Values] = []
        for value in present(inputs):
            value.readers[self] = None
        self.give(outputs)

    def __repr__(self) -> str:
        return f"<node {self.name}>"

    @property
    def name(self) -> str:
        return self.label or self.op.type

    # -- what it reads and makes ----------------------------------------------------------------------------------

    def read(self, slot: int, values: Values) -> None:
        """Put other values into an input slot."""
        before, self.inputs[slot] = self.inputs[slot], values
        left = set(present(self.inputs))
        for value in before:
            if value is not None and value not in left:
                value.readers.pop(self, None)
        for value in values:
            if value is not None:
                value.readers[self] = None

    def replace(self, value: Value, other: Value) -> None:
        """Read `other` in place of `value`."""
        for slot, values in enumerate(self.inputs):
            if value in values:
                self.read(slot, [other if one is value else one for one in values])
        for output in self.writes():
            if output.base is value:  # which is changed in place
                output.base = other
        if self.over is value:
            self.over = other

    def give(self, outputs: list[Values]) -> None:
        """Become the maker of these values."""
        self.outputs = outputs
        for value in present(outputs):
            value.maker, value.region = self, self.region

    def detach(self) -> None:
        """Stop reading values: the node is about to be removed."""
        for value in present(self.inputs):
            value.readers.pop(self, None)
        if self.body is not None:
            for node in self.body.nodes:
                node.detach()

    def value_reads(self) -> Iterator[Value]:
        """Values that are read (not only their shapes), by the body too."""
        return iter(self.split_reads()[0])

    def shape_reads(self) -> Iterator[Value]:
        return iter(self.split_reads()[1])

    def reads(self) -> Iterator[Value]:
        values, shapes = self.split_reads()
        yield from values
        yield from shapes

    def split_reads(self) -> tuple[list[Value], list[Value]]:
        """What is read by its value, and by its shape alone.

        Both at once: a body is asked for its captures once, whose nodes ask their bodies, as deep as blocks lie in one
        another.
        """
        by_value, by_shape = _slots(self.op)
        values = [value for slot in by_value for value in self.inputs[slot] if value is not None]
        shapes = [value for slot in by_shape for value in self.inputs[slot] if value is not None]
        if len(self.inputs) > len(self.op.inputs):
            values += present(self.inputs[len(self.op.inputs) :])
        if self.body is not None:
            captured, sized = self.body.captures()
            values += captured
            shapes += sized
        return values, shapes

    def writes(self) -> Iterator[Value]:
        return present(self.outputs)

    def overwrites(self) -> Iterator[Value]:
        """Values whose memory holds another value after the node, whether that is returned or not."""
        if self.op.inplace or self.body is not None:
            for value in self.writes():
                if value.base is not None:
                    yield value.base
        if self.over is not None:
            yield self.over
        if self.body is not None:
            for node in self.body.nodes:
                yield from map(self._outside, node.overwrites())

    def _outside(self, value: Value) -> Value:
        """The value that an iteration gets for the first time, if this is one that it carries."""
        if self.body is None or value not in self.body.carried:
            return value
        return self.inputs[-1][self.body.carried.index(value)] or value

    def updates(self) -> Iterator[list[Value]]:
        """What each of the updates reads that the node stands for."""
        if not self.grouped:
            yield list(present(self.inputs))
            return
        for values in zip(*filter(None, self.inputs), strict=True):
            yield [value for value in values if value is not None]

    def output(self) -> Value | None:
        """The first value of the first slot."""
        return self.outputs[0][0] if self.outputs and self.outputs[0] else None

    def input(self, slot: str) -> Value | None:
        """The first value of a slot."""
        values = self.inputs[self.op.input_index[slot]]
        return values[0] if values else None


@functools.cache
def _slots(op: OpDef) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The input slots that are read by their values, and by their shapes."""
    every = tuple(range(len(op.inputs)))
    by_value = [param.slot for param in op.params if param.kind == "value"]
    by_shape = [param.slot for param in op.params if param.kind == "shape"]
    if op.rules.lods is not None:  # which is called with all values
        return every, tuple(by_shape)
    return tuple(by_value), tuple(by_shape)
