"""Rows of a sparse gradient: merged, their values alone, and split by sections of the table."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from refluid.core.errors import ArgumentError, ValueRangeError
from refluid.ops.backward_ops import BackwardOp, Call
from refluid.ops.registry import NUMBERS, Long, Tensor, op
from refluid.tensor.selected_rows import SelectedRows, cut_rows, merged


@op("Out", lod=None, dtypes={"X": NUMBERS}, nograd="*")
def merge_selected_rows(X: Tensor) -> Tensor:
    """The same rows, each once and in ascending order; rows listed twice are added up."""
    return merged(X) if isinstance(X, SelectedRows) else _only_inferred(X)


@op("Out", lod=None, dtypes={"X": NUMBERS}, nograd="*", views="X")
def get_tensor_from_selected_rows(X: Tensor) -> Tensor:
    """The values of the rows alone."""
    return X.value if isinstance(X, SelectedRows) else _only_inferred(X)


@op("Out", lod=None, dtypes={"X": NUMBERS}, duplicable="Out", nograd="*")
def split_selected_rows(X: Tensor, *, height_sections: list[Long] = []) -> list[Any]:  # never changed
    """Out[i] are the rows of X that lie in the i-th section of the table, numbered from the section's first row.

    height_sections: how many rows each section has.
    """
    if not isinstance(X, SelectedRows):
        return [_only_inferred(X)[:height] for height in height_sections]
    rows, ends = X.index, list(accumulate(height_sections))
    outside = rows[(rows < 0) | (rows >= (ends[-1] if ends else 0))]
    if len(outside):
        raise ValueRangeError(f"X has row {int(outside[0])}, but height_sections {height_sections} end before it")
    return list(cut_rows(X, height_sections))


@split_selected_rows.gradient_ops
def _merged_back(op: Call) -> list[BackwardOp]:
    return [BackwardOp("sum", {"X": op.output("Out")}, {"Out": op.input("X")}, optional=True)]


def _only_inferred(x: Tensor) -> Tensor:
    if not x.is_meta:
        raise ArgumentError("X must be a SelectedRows, got a dense tensor")
    return x
