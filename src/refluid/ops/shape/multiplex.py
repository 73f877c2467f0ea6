"""multiplex: every row from one of several tensors."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.registry import INDICES, Shape, Tensor, op
from refluid.ops.shape.alike import check_one_dtype


@op("Out", dtypes={"Ids": INDICES}, lod=None)
def multiplex(Ids: Tensor, X: list[Tensor]) -> Tensor:
    """Out[i] = X[Ids[i]][i]; Ids has shape [rows of X, 1]."""
    rows = X[0].shape[0]
    check_one_dtype(X)
    if any(x.shape != X[0].shape for x in X):
        raise ShapeError(f"every X must have the same shape, got {', '.join(str(list(x.shape)) for x in X)}")
    if Ids.numel() < rows or (Ids.dim() == 2 and Ids.shape[1] != 1):
        raise ShapeError(f"Ids must have shape [{rows}, 1], got {list(Ids.shape)}")
    try:
        return torch.stack(X)[Ids.reshape(-1)[:rows].long(), torch.arange(rows, device=Ids.device)]
    except IndexError:
        raise ValueRangeError(f"Ids must be in [0, {len(X) - 1}], got {Ids.reshape(-1).tolist()}") from None


@multiplex.grad
def multiplex_grad(Ids: Tensor, X: list[Shape], Out_grad: Tensor) -> list[Tensor]:
    chosen = Ids.reshape(-1)[: len(Out_grad)].reshape(-1, *(1,) * (Out_grad.dim() - 1))
    return [torch.where(chosen == k, Out_grad, 0.0) for k in range(len(X))]
