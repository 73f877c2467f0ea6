"""merge_selected_rows, get_tensor_from_selected_rows: rows of a sparse gradient added up, and their values."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.ops.registry import NUMBERS, Tensor, op
from refluid.tensor.selected_rows import SelectedRows, merged


@op("Out", lod=None, dtypes={"X": NUMBERS}, nograd="*")
def merge_selected_rows(X: Tensor) -> Tensor:
    """The same rows, each once and in ascending order; rows listed twice are added up."""
    return merged(X) if isinstance(X, SelectedRows) else _only_inferred(X)


@op("Out", lod=None, dtypes={"X": NUMBERS}, nograd="*")
def get_tensor_from_selected_rows(X: Tensor) -> Tensor:
    """The values of the rows alone."""
    return X.value if isinstance(X, SelectedRows) else _only_inferred(X)


def _only_inferred(x: Tensor) -> Tensor:
    if not x.is_meta:
        raise ArgumentError("X must be a SelectedRows, got a dense tensor")
    return x
