"""meshgrid: the coordinates of a grid."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import Shape, Tensor, op


@op("Out", duplicable="Out", lod=None)
def meshgrid(X: list[Tensor]) -> list[Tensor]:
    """Out[k][i0, i1, ..] = X[k][ik]; every X[k] has one axis."""
    for k, x in enumerate(X):
        if x.dim() != 1:
            raise ShapeError(f"every X must have one axis, but X[{k}] has shape {list(x.shape)}")
    return [grid.contiguous() for grid in torch.meshgrid(X, indexing="ij")]


@meshgrid.grad
def meshgrid_grad(X: list[Shape], Out_grad: list[Tensor]) -> list[Tensor]:
    if len(X) == 1:
        return list(Out_grad)
    return [grad.sum([i for i in range(len(X)) if i != k]) for k, grad in enumerate(Out_grad)]
