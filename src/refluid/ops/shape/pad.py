"""pad, pad_constant_like: padding with a constant."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import LoD, Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes


def for_torch(paddings: Sizes) -> list[int]:
    """From Fluid's order (first axis first) to torch's (last axis first); both give before and after."""
    return [n for axis in range(len(paddings) - 2, -1, -2) for n in paddings[axis : axis + 2]]


@op("Out", keeps_rows=lambda attrs, rank: not any(attrs["paddings"][:2]))
def pad(X: Tensor, *, paddings: list[int], pad_value: float = 0.0) -> Tensor:
    """Out is X with paddings[2i] elements of pad_value before and paddings[2i + 1] after it along axis i."""
    if len(paddings) != 2 * X.dim():
        raise ArgumentError(f"paddings must have two numbers for each of the {X.dim()} axes of X, got {list(paddings)}")
    if any(n < 0 for n in paddings):
        raise ArgumentError(f"paddings must not be negative, got {list(paddings)}")
    return torch.constant_pad_nd(X, for_torch(paddings), pad_value)


@pad.grad
def pad_grad(Out_grad: Tensor, *, paddings: list[int]) -> Tensor:
    return torch.constant_pad_nd(Out_grad, [-n for n in for_torch(paddings)])


@pad.lods
def _pad_lod(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return [None if any(attrs["paddings"][:2]) else ins[0]]


@op("Out", nograd="X", lod="X")
def pad_constant_like(X: Tensor, Y: Tensor, *, pad_value: float = 0.0) -> Tensor:
    """Out has the shape of X and holds Y, with pad_value after it along every axis."""
    if X.dim() != Y.dim() or any(n > m for m, n in zip(X.shape, Y.shape, strict=True)):
        raise ShapeError(f"Y of shape {list(Y.shape)} does not fit into X of shape {list(X.shape)}")
    behind = [n for m, k in zip(X.shape, Y.shape, strict=True) for n in (0, m - k)]
    return torch.constant_pad_nd(Y, for_torch(behind), pad_value)


@pad_constant_like.grad
def pad_constant_like_grad(Y: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad[tuple(slice(n) for n in Y)]


@pad_constant_like.infer
def _pad_constant_like_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, y = inputs
    if len(x.shape) != len(y.shape) or any(n > m >= 0 for m, n in zip(x.shape, y.shape, strict=True)):
        raise ShapeError(f"Y of shape {list(y.shape)} does not fit into X of shape {list(x.shape)}")
    return [(x.shape, y.dtype)]
