"""trace: the sum of a diagonal of every matrix."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import NUMBERS, Tensor, op


@op("Out", lod=None, dtypes={"Input": NUMBERS})
def trace(Input: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Out = the sum of the `offset`-th diagonal of the matrices that axes dim1 and dim2 span."""
    rank = Input.dim()
    if rank < 2:
        raise ShapeError(f"Input must have rank 2 or more, got shape {list(Input.shape)}")
    if not (-rank <= dim1 < rank and -rank <= dim2 < rank) or dim1 % rank == dim2 % rank:
        raise ArgumentError(f"dim1 and dim2 must be two axes in [{-rank}, {rank - 1}], got {dim1} and {dim2}")
    out = torch.sum(torch.diagonal(Input, offset, dim1, dim2), -1, dtype=Input.dtype)
    return out if out.dim() else out.reshape(1)
