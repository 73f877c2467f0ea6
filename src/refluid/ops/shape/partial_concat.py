"""partial_concat: the same columns of several matrices, concatenated."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import Tensor, op


@op("Out", lod=None)
def partial_concat(X: list[Tensor], *, start_index: int = 0, length: int = -1) -> Tensor:
    """Out has length columns (-1: all) from start_index on of every X, concatenated."""
    shape = X[0].shape
    if len(shape) != 2 or any(x.shape != shape for x in X):
        raise ShapeError(f"every X must be a matrix of the same shape, got {', '.join(str(list(x.shape)) for x in X)}")
    first = start_index + shape[1] if start_index < 0 else start_index
    count = shape[1] - first if length < 0 else length
    if not 0 <= first <= first + count <= shape[1]:
        raise ArgumentError(f"start_index={start_index} and length={length} leave the {shape[1]} columns of X")
    return torch.cat([x.narrow(1, first, count) for x in X], 1)
