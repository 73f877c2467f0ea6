"""fill_any_like, fill_zeros_like, fill_zeros_like2: constants in the shape of another tensor."""

from __future__ import annotations

import torch

from refluid.core.dtypes import VarType, torch_dtype
from refluid.ops.registry import DType, Tensor, op
from refluid.ops.shape.fill_constant import number


@op("Out", nograd="*")
def fill_any_like(X: Tensor, *, value: float = 0.0, dtype: DType = -1) -> Tensor:
    """Out has the shape of X and is filled with value; its dtype is X's unless dtype says otherwise."""
    wanted = X.dtype if dtype < 0 else torch_dtype(dtype)
    return torch.full_like(X, number(value, "", wanted), dtype=wanted)


@op("Out", nograd="*")
def fill_zeros_like(X: Tensor) -> Tensor:
    """Out has the shape and dtype of X and is filled with 0; for an array, it is an empty array."""
    return torch.zeros_like(X) if isinstance(X, torch.Tensor) else type(X)()


@op("Out", nograd="*")
def fill_zeros_like2(X: Tensor, *, dtype: DType = VarType.FP32) -> Tensor:
    """Out has the shape and dtype of X and is filled with 0."""
    return torch.zeros_like(X)
