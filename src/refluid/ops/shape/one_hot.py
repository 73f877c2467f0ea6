"""one_hot, one_hot_v2: one-hot rows."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.dtypes import VarType, torch_dtype
from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import INDICES, DType, Tensor, op
from refluid.ops.shape.gather import out_of_range

_OPTIONS: dict[str, Any] = {"nograd": "*", "dtypes": {"X": INDICES, "depth_tensor": INDICES}}


def _rows(indices: Tensor, depth: int, dtype: int, allow_out_of_range: bool) -> Tensor:
    """`indices` ends with an axis of size 1, which becomes one of size depth."""
    if depth < 1:
        raise ArgumentError(f"depth must be at least 1, got {depth}")
    if allow_out_of_range:
        return (indices == torch.arange(depth, device=indices.device)).to(torch_dtype(dtype))
    out = torch.zeros((*indices.shape[:-1], depth), dtype=torch_dtype(dtype), device=indices.device)
    try:
        return out.scatter_(-1, indices.long(), 1)
    except (IndexError, RuntimeError):
        raise out_of_range(indices, depth, "X") from None


@op("Out", **_OPTIONS)
def one_hot(
    X: Tensor,
    depth_tensor: Tensor | None = None,
    *,
    depth: int = -1,
    dtype: DType = VarType.FP32,
    allow_out_of_range: bool = False,
) -> Tensor:
    """Out[.., X[.., 0]] = 1 and 0 elsewhere; the last axis of X has size 1. Out of range: zeros, if allowed."""
    _check_v1(X.shape)
    return _rows(X, depth if depth_tensor is None else int(depth_tensor), dtype, allow_out_of_range)


@op("Out", **_OPTIONS, late="X")
def one_hot_v2(
    X: Tensor,
    depth_tensor: Tensor | None = None,
    *,
    depth: int = -1,
    dtype: DType = VarType.FP32,
    allow_out_of_range: bool = False,
) -> Tensor:
    """As one_hot, with an axis of size depth after those of X."""
    return _rows(X.unsqueeze(-1), depth if depth_tensor is None else int(depth_tensor), dtype, allow_out_of_range)


def _check_v1(shape: tuple[int, ...]) -> None:
    if len(shape) < 2 or shape[-1] not in (1, -1):
        raise ShapeError(f"X must have at least 2 axes, the last of size 1, got {list(shape)}")


@one_hot.infer
def _one_hot_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, depth_tensor = inputs
    _check_v1(x.shape)
    return [((*x.shape[:-1], attrs["depth"] if depth_tensor is None else -1), torch_dtype(attrs["dtype"]))]


@one_hot_v2.infer
def _one_hot_v2_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, depth_tensor = inputs
    return [((*x.shape, attrs["depth"] if depth_tensor is None else -1), torch_dtype(attrs["dtype"]))]
