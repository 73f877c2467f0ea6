"""top_k: the largest elements of every row."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.registry import INDICES, Shape, Tensor, op


def _check(k: int, columns: int) -> None:
    if k < 1 or 0 <= columns < k:
        raise ArgumentError(f"k must be in [1, {columns}], the size of the last axis of X, got {k}")


@op("Out Indices", dtypes={"K": INDICES}, nograd="Indices")
def top_k(X: Tensor, K: Tensor | None = None, *, k: int = 1) -> tuple[Tensor, Tensor]:
    """Out holds the k largest elements along the last axis, largest first; Indices (int64) where they are in X.

    Of equal elements the first come first, as in Fluid where all are equal.
    """
    if K is not None:
        k = int(K)
    _check(k, X.shape[-1])
    if k == 1:  # k = 1, as for accuracy: max takes half the time
        return X.max(-1, keepdim=True)
    most, places = X.topk(min(k + 1, X.shape[-1]), -1)
    if (most[..., 1:] == most[..., :-1]).any():  # torch picks any of equal elements
        most, places = X.sort(dim=-1, descending=True, stable=True)
    return most[..., :k], places[..., :k]


@top_k.grad
def top_k_grad(X: Shape, Indices: Tensor, Out_grad: Tensor) -> Tensor:
    return Out_grad.new_zeros(X).scatter_(-1, Indices, Out_grad)


@top_k.infer
def _specs(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, k_tensor = inputs
    k = attrs["k"] if k_tensor is None else -1
    if k_tensor is None:
        _check(k, x.shape[-1])
    shape = (*x.shape[:-1], k)
    return [(shape, x.dtype), (shape, torch.int64)]
