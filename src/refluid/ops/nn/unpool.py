"""unpool: the inverse of max_pool2d_with_index."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError, ValueRangeError
from refluid.ops.nn.geometry import check_rank
from refluid.ops.registry import FLOATS, INDICES, Shape, Tensor, op


@op("Out", dtypes={"X": FLOATS, "Indices": INDICES})
def unpool(
    X: Tensor,
    Indices: Tensor,
    *,
    ksize: list[int],
    strides: list[int] = [1, 1],
    paddings: list[int] = [0, 0],
    unpooling_type: str,
) -> Tensor:
    """Out = zeros, but X[n, c] at the indices Indices[n, c], flattened row by row."""
    if unpooling_type != "max":
        raise ArgumentError(f"unpooling_type must be max, got {unpooling_type!r}")
    check_rank("X", X, 4)
    if X.shape != Indices.shape:
        raise ShapeError(f"X has shape {list(X.shape)}, but Indices has {list(Indices.shape)}")
    height, width = ((n - 1) * s - 2 * p + k for n, s, p, k in zip(X.shape[2:], strides, paddings, ksize))
    out = X.new_zeros(*X.shape[:2], height * width)
    try:
        out = out.scatter(2, Indices.flatten(2).to(torch.int64), X.flatten(2))
    except RuntimeError as error:
        raise ValueRangeError(f"Indices must lie in [0, {height * width}), the cells of Out") from error
    return out.reshape(*X.shape[:2], height, width)


@unpool.grad
def unpool_grad(X: Shape, Indices: Tensor, Out: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad.flatten(2).gather(2, Indices.flatten(2).to(torch.int64)).reshape(X)
