"""merge_selected_rows, get_tensor_from_selected_rows: what programs do with a sparse gradient before taking its norm."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.ops.registry import NUMBERS, Tensor, op
from refluid.tensor.selected_rows import SelectedRows, merged


@op("Out", lod=None, dtypes={"X": NUMBERS}, nograd="*")
def merge_selected_rows(X: Tensor) -> Tensor:
    """The same rows, each once and in ascending order; rows listed twice are added up."""
    return X if X.is_meta else merged(_sparse(X))


@op("Out", lod=None, dtypes={"X": NUMBERS}, nograd="*")
def get_tensor_from_selected_rows(X: Tensor) -> Tensor:
    """The values of the rows alone."""
    return X if X.is_meta else _sparse(X).value


def _sparse(x: Tensor | SelectedRows) -> SelectedRows:
    if not isinstance(x, SelectedRows):
        raise ArgumentError("X must be a SelectedRows, got a dense tensor")
    return x
