"""argsort: sorted elements and their indices."""

from __future__ import annotations

import torch

from refluid.ops.registry import Shape, Tensor, op
from refluid.ops.shape.sizes import axis_of


@op("Out Indices", nograd="Indices")
def argsort(X: Tensor, *, axis: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """Out is X sorted along axis; Indices (int64) are the indices of its elements in X. The sort is stable."""
    values, places = torch.sort(X, dim=axis_of(axis, X.dim()), descending=descending, stable=True)
    return values, places


@argsort.grad
def argsort_grad(X: Shape, Indices: Tensor, Out_grad: Tensor, *, axis: int) -> Tensor:
    return torch.empty_like(Out_grad).scatter_(axis, Indices, Out_grad)
