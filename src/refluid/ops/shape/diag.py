"""diag, diag_embed, eye: diagonal matrices."""

from __future__ import annotations

import torch

from refluid.core.dtypes import VarType, torch_dtype
from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import DType, Long, Tensor, op
from refluid.ops.shape.sizes import axis_of


@op("Out", nograd="*", lod=None)
def diag(Diagonal: Tensor) -> Tensor:
    """Out [N, N] has Diagonal [N] on its diagonal and 0 elsewhere."""
    if Diagonal.dim() != 1:
        raise ShapeError(f"Diagonal must have one axis, got shape {list(Diagonal.shape)}")
    return torch.diag(Diagonal)


@op("Out", nograd="*", lod=None)
def diag_embed(Input: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Out has the last axis of Input on the diagonal of the plane that its axes dim1 and dim2 make."""
    rank = Input.dim() + 1
    if axis_of(dim1, rank, "dim1") == axis_of(dim2, rank, "dim2"):
        raise ArgumentError(f"dim1 and dim2 must be different axes, got {dim1} and {dim2}")
    return torch.diag_embed(Input, offset, dim1, dim2)


@op("Out", nograd="*")
def eye(*, device: torch.device, num_rows: Long, num_columns: Long = -1, dtype: DType = VarType.FP32) -> Tensor:
    """Out [num_rows, num_columns or num_rows] has 1 on its diagonal and 0 elsewhere."""
    columns = num_rows if num_columns == -1 else num_columns
    if num_rows < 0 or columns < 0:
        raise ArgumentError(f"num_rows and num_columns must not be negative, got {num_rows} and {num_columns}")
    return torch.eye(num_rows, columns, dtype=torch_dtype(dtype), device=device)
