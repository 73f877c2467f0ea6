"""Shapes: numbers where they are known, tensors where only a run tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.ir.variable import Variable
from refluid.jit.runtime.numbers import Number, number
from refluid.layers.shape import shape as shape_of

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


def shape(value: Structure) -> Any:
    """`value.shape` as the imperative mode gives it: a list of sizes; unknown ones are Numbers."""
    if not isinstance(value, Variable):
        return value.shape
    sizes: list[Any] = list(value.shape)
    if any(one < 0 for one in sizes):
        tensor = shape_of(value)
        sizes = [number(tensor[i : i + 1]) if one < 0 else one for i, one in enumerate(sizes)]
    return sizes


def size(value: Variable) -> int | Number:
    """The first size."""
    return value.shape[0] if value.shape[0] >= 0 else number(shape_of(value)[0:1])
