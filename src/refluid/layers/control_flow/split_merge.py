"""Rows (or sequences) of a batch by a mask, and together again: what IfElse is made of."""

from __future__ import annotations

from typing import Any

from refluid.core import mode
from refluid.core.naming import LayerName
from refluid.ops.array import split_merge as ops


def split_lod_tensor(input: Any, mask: Any, level: int = 0) -> tuple[Any, Any]:
    """The rows of input where mask is true, and the others.

    Args:
        input: the batch; with a LoD, its sequences of one level are dealt out whole.
        mask: bool [rows or sequences, 1].
        level: the LoD level whose sequences mask tells of.
    """
    parts = ops.split_lod_tensor(input, mask, level=level, name=LayerName("split_lod_tensor"))
    if not mode.current.imperative:
        for part in parts:
            part.shape = tuple(input.shape)  # Fluid: declared as if all rows were in both
    return parts


def merge_lod_tensor(in_true: Any, in_false: Any, x: Any, mask: Any, level: int = 0) -> Any:
    """The rows of in_true where mask is true and those of in_false where it is not, in the order of mask.

    Args:
        in_true, in_false: what split_lod_tensor has given, or what was made of it row by row.
        x: what was split; its LoD tells how long the sequences are.
        mask: bool [rows or sequences, 1].
        level: the LoD level whose sequences mask tells of.
    """
    return ops.merge_lod_tensor(x, mask, in_true, in_false, level=level, name=LayerName("merge_lod_tensor"))
