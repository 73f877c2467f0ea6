"""Norms along an axis (norm, p_norm) and of whole tensors (l1_norm, squared_l2_norm, squared_l2_distance, dist)."""

from __future__ import annotations

import math
from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.infer import Spec
from refluid.ops.math.broadcasting import apply, infer_broadcast
from refluid.ops.registry import FLOATS, Tensor, op


@op("Norm Out", lod=None, intermediate="Norm", dtypes={"X": FLOATS}, naming="Out Norm")
def norm(X: Tensor, *, axis: int, epsilon: float = 1e-10) -> tuple[Tensor, Tensor]:
    """Out = X / Norm, where Norm = sqrt(sum(X^2) + epsilon) along `axis`."""
    check_axis(X, axis)
    length = torch.sum(X.square(), axis, True).add_(epsilon).sqrt_()
    return length, X / length


@norm.grad(once=True)
def norm_grad(X: Tensor, Norm: Tensor, Out_grad: Tensor, *, axis: int) -> Tensor:
    along = torch.sum(X * Out_grad, axis, True) / Norm.square()
    return (Out_grad - X * along) / Norm


@op("Out", lod=None, dtypes={"X": FLOATS}, extra_attrs={"epsilon": "FLOAT"}, grad_keeps="Out", grad_hints="epsilon")
def p_norm(X: Tensor, *, porder: float = 2.0, axis: int = -1, keepdim: bool = False) -> Tensor:
    """Out = sum(|X|^porder)^(1/porder) along `axis`."""
    check_axis(X, axis)
    if not 0 < porder < math.inf:
        raise ArgumentError(f"porder must be positive and finite, got {porder}")
    out = torch.linalg.vector_norm(X, porder, axis, keepdim)
    return out if out.dim() else out.reshape(1)


@op("Out", lod=None, dtypes={"X": FLOATS})
def l1_norm(X: Tensor) -> Tensor:
    """Out [1] = sum(|X|)."""
    return torch.sum(X.abs()).reshape(1)


@l1_norm.grad
def l1_norm_grad(X: Tensor, Out_grad: Tensor) -> Tensor:
    return torch.sign(X) * Out_grad


@op("Out", lod=None, dtypes={"X": FLOATS})
def squared_l2_norm(X: Tensor) -> Tensor:
    """Out [1] = sum(X^2)."""
    flat = X.reshape(-1)
    return torch.dot(flat, flat).reshape(1)


@squared_l2_norm.grad
def squared_l2_norm_grad(X: Tensor, Out_grad: Tensor) -> Tensor:
    return X * (Out_grad * 2)


@op("sub_result Out", lod="X", intermediate="sub_result", dtypes={"X": FLOATS, "Y": FLOATS}, grad_keeps="sub_result")
def squared_l2_distance(X: Tensor, Y: Tensor) -> tuple[Tensor, Tensor]:
    """Out [N, 1] = the sum of (X - Y)^2 per row; Y has as many rows as X, or one."""
    if X.dim() < 2 or X.dim() != Y.dim():
        raise ShapeError(f"X and Y must have one rank, at least 2, got shapes {list(X.shape)} and {list(Y.shape)}")
    x, y = X.flatten(1), Y.flatten(1)
    if x.shape[1] != y.shape[1] or y.shape[0] not in (1, x.shape[0]):
        raise ShapeError(
            f"X has rows of {x.shape[1]}, but Y has shape {list(Y.shape)}; it takes 1 or {x.shape[0]} of them"
        )
    difference = x - y
    return difference, torch.sum(difference.square(), 1, True)


@squared_l2_distance.lods
def squared_l2_distance_lods(lods: list, values: list, attrs: dict) -> list:
    return [None, lods[0]]


@op("Out", lod=None, dtypes={"X": FLOATS, "Y": FLOATS}, grad_keeps="Out")
def dist(X: Tensor, Y: Tensor, *, p: float = 2.0) -> Tensor:
    """Out [1] = the p-norm of X - Y, broadcast. p may be 0 (the number of differing elements), inf and -inf."""
    return torch.linalg.vector_norm(apply(torch.sub, X, Y, -1), p).reshape(1)


@dist.infer
def infer_dist(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    return [Spec((1,), infer_broadcast(inputs, {"axis": -1})[0].dtype)]


def check_axis(X: Tensor, axis: int) -> None:
    if not -X.dim() <= axis < X.dim():
        raise ArgumentError(f"axis must be in [{-X.dim()}, {X.dim() - 1}] for X of rank {X.dim()}, got {axis}")
