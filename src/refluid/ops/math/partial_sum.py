"""partial_sum: the sum of the same columns of several matrices."""

from __future__ import annotations

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.math.sum import added, check_same_shapes
from refluid.ops.registry import NUMBERS, Tensor, op


@op("Out", dtypes={"X": NUMBERS}, grad_hints="use_mkldnn")
def partial_sum(X: list[Tensor], *, start_index: int = 0, length: int = -1) -> Tensor:
    """Out = the sum of X[i][:, start_index : start_index + length]; a length of -1 goes to the end."""
    check_same_shapes(X)
    if X[0].dim() != 2:
        raise ShapeError(f"X must hold matrices, got shape {list(X[0].shape)}")
    columns = X[0].shape[1]
    start = start_index + columns if start_index < 0 else start_index
    stop = columns if length < 0 else start + length
    if not 0 <= start < stop <= columns:
        raise ArgumentError(f"X has {columns} columns, but start_index={start_index}, length={length}")
    return added([x[:, start:stop] for x in X])
