"""unique, unique_with_counts: the distinct elements of a vector."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.dtypes import torch_dtype
from refluid.core.errors import ShapeError
from refluid.ops.registry import DType, Tensor, op


def _in_order(X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct elements in order of first occurrence, the index of each element of X among them, and counts."""
    values, place, counts = torch.unique(X, return_inverse=True, return_counts=True)
    n = X.numel()
    here = torch.arange(n, device=X.device)
    first = torch.full_like(counts, n).scatter_reduce_(0, place, here, "amin")
    order = first.argsort()
    rank = torch.empty_like(order).scatter_(0, order, here[: order.numel()])
    return values[order], rank[place], counts[order]


def _check(shape: tuple[int, ...]) -> None:
    if len(shape) != 1:
        raise ShapeError(f"X must have one axis, got shape {list(shape)}")


@op("Out Index", nograd="*", lod=None)
def unique(X: Tensor, *, dtype: DType) -> tuple[Tensor, Tensor]:
    """Out are the distinct elements of X in order of first occurrence; X = Out[Index]."""
    _check(X.shape)
    values, index, _ = _in_order(X)
    return values, index.to(torch_dtype(dtype))


@op("Out Index Count", nograd="*", lod=None)
def unique_with_counts(X: Tensor, *, dtype: DType) -> tuple[Tensor, Tensor, Tensor]:
    """As unique; Count tells how often each element of Out occurs in X."""
    _check(X.shape)
    values, index, counts = _in_order(X)
    return values, index.to(torch_dtype(dtype)), counts.to(torch_dtype(dtype))


@unique.infer
def _unique_specs(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    _check(inputs[0].shape)
    return [((-1,), inputs[0].dtype), (inputs[0].shape, torch_dtype(attrs["dtype"]))]


@unique_with_counts.infer
def _unique_with_counts_specs(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [*_unique_specs(inputs, attrs), ((-1,), torch_dtype(attrs["dtype"]))]
