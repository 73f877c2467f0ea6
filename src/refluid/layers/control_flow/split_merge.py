"""Split the rows (or sequences) of a batch by a mask, and merge them; IfElse is built on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.core.mode import per_mode
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.ops.array import split_merge as ops

if TYPE_CHECKING:
    from refluid.ir.variable import Variable


def split_lod_tensor(input: BaseVariable, mask: BaseVariable, level: int = 0) -> tuple[BaseVariable, BaseVariable]:
    """The rows (or sequences) of a batch where a mask is true, and the others.

    Args:
        input: a variable of any dtype and shape; the sequences of a LoDTensor stay whole.
        mask: a bool variable [rows or sequences, 1].
        level: the LoD level whose sequences the mask is about.

    Returns:
        (the rows where mask is true, the other rows).
    """
    parts = ops.split_lod_tensor(input, mask, level=level, name=LayerName("split_lod_tensor"))
    for part in parts:
        _declare(part, tuple(input.shape))  # Fluid: declared as if all rows were in both
    return parts


@per_mode
def _declare(part: Variable, shape: tuple[int, ...]) -> None:
    part.shape = shape


@_declare.imperative
def _has_its_own(part: BaseVariable, shape: tuple[int, ...]) -> None:
    """A variable of the imperative mode has the shape of its value."""


def merge_lod_tensor(
    in_true: BaseVariable, in_false: BaseVariable, x: BaseVariable, mask: BaseVariable, level: int = 0
) -> BaseVariable:
    """The rows (or sequences) of two parts, merged in the order of a mask; the inverse of split_lod_tensor.

    Args:
        in_true: the rows where mask is true, a variable of any dtype and shape [rows, ...].
        in_false: the other rows, of the dtype of in_true; [rows, ...].
        x: the variable that was split, of any dtype and shape; its LoD has the lengths of the sequences.
        mask: a bool variable [rows or sequences, 1].
        level: the LoD level whose sequences the mask is about.

    Returns:
        A variable with the rows of both.
    """
    return ops.merge_lod_tensor(x, mask, in_true, in_false, level=level, name=LayerName("merge_lod_tensor"))
