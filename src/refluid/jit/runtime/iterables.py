"""What `for` goes through: lists and ranges of Python, and things whose length only a run tells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from refluid.core.dtypes import VarType
from refluid.eager.variable import VarBase
from refluid.ir.variable import Variable
from refluid.jit.errors import refused
from refluid.jit.runtime.arrays import TensorArray
from refluid.jit.runtime.numbers import as_number
from refluid.jit.runtime.promote import is_static
from refluid.jit.runtime.shapes import size
from refluid.ops.math.elementwise import elementwise_min

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class StaticItems:
    """Items that are counted when the program runs."""

    def length(self) -> Variable:
        """int64 [1]."""
        raise NotImplementedError

    def item(self, at: Variable) -> Structure:
        raise NotImplementedError

    def __iter__(self) -> NoReturn:
        raise refused(
            "how many items there are is a tensor, so only a `for` statement can go through them, "
            "not a comprehension or a call"
        )


class Range(StaticItems):
    def __init__(self, *args: Any):
        if not 1 <= len(args) <= 3:
            raise TypeError(f"range expected 1 to 3 arguments, got {len(args)}")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (args[0], args[1], args[2] if len(args) == 3 else 1)
        if not isinstance(step, int):
            raise refused("the step of a range must be an int, got a tensor")
        if step == 0:
            raise ValueError("range() arg 3 must not be zero")
        self.start, self.stop = (
            one if isinstance(one, int) else as_number(one, VarType.INT64) for one in (start, stop)
        )
        self.step = step

    def length(self) -> Variable:
        start, stop = (as_number(value, VarType.INT64) for value in (self.start, self.stop))
        if self.step == 1:
            return stop if isinstance(self.start, int) and self.start == 0 else stop - start
        span = stop - start if self.step > 0 else start - stop
        return (span + (abs(self.step) - 1)) // abs(self.step)

    def item(self, at: Variable) -> Structure:
        moved = at if self.step == 1 else at * self.step
        return moved if isinstance(self.start, int) and self.start == 0 else moved + self.start


class Rows(StaticItems):
    """The rows of a tensor, or the elements of a list that grew in a loop."""

    def __init__(self, source: Variable | TensorArray):
        self.source = source

    def length(self) -> Variable:
        return (
            self.source.length if isinstance(self.source, TensorArray) else as_number(size(self.source), VarType.INT64)
        )

    def item(self, at: Variable) -> Structure:
        return self.source[at]


class Numbered(StaticItems):
    def __init__(self, inner: StaticItems, start: int | Variable):
        self.inner, self.start = inner, start

    def length(self) -> Variable:
        return self.inner.length()

    def item(self, at: Variable) -> Structure:
        return (at + self.start if is_static(self.start) or self.start else at, self.inner.item(at))


class Zipped(StaticItems):
    def __init__(self, parts: list[Any]):
        self.parts = parts

    def length(self) -> Variable:
        found = [part.length() for part in self.parts]
        total = found[0]
        for one in found[1:]:
            total = elementwise_min(total, one)
        return total

    def item(self, at: Variable) -> Structure:
        return tuple(part.item(at) for part in self.parts)


def as_items(iterable: object) -> Structure:
    """Something to go through: a StaticItems, or an iterable of Python."""
    if isinstance(iterable, TensorArray):
        return Rows(iterable)
    if isinstance(iterable, Variable):
        if not iterable.shape:
            raise refused(f"{iterable.name} has no axis to go along")
        if iterable.shape[0] < 0:
            return Rows(iterable)
    if isinstance(iterable, Variable | VarBase):
        return [iterable[i] for i in range(iterable.shape[0])]
    return iterable


def listed(iterable: object) -> Structure:
    """What a comprehension goes through."""
    return as_items(iterable)


def range_(*args: Any) -> Range | range:
    return Range(*args) if any(is_static(arg) for arg in args) else range(*args)


def enumerate_(iterable: object, start: Any = 0) -> Numbered | enumerate:
    items = as_items(iterable)
    return Numbered(items, start) if isinstance(items, StaticItems) else enumerate(items, start)


def zip_(*iterables: Iterable[Any], strict: bool = False) -> Zipped | zip:
    sources = [as_items(one) for one in iterables]
    if not any(isinstance(one, StaticItems) for one in sources):
        return zip(*sources, strict=strict)
    if not all(isinstance(one, StaticItems) for one in sources):
        raise refused("zip of a Python list and of a tensor whose length is not known; use tensors alone")
    return Zipped(sources)
