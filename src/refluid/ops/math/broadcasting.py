"""Fluid's broadcasting: the input of lower rank is aligned with the axes of the other from `axis` on (-1: the last).

Shared by elementwise_*, the comparisons and other operators of two inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import torch

from refluid.core.dtypes import TORCH_NAME
from refluid.core.errors import DtypeError, ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import Shape, Tensor


def apply(function: Callable[[Tensor, Tensor], Tensor], X: Tensor, Y: Tensor, axis: int) -> Tensor:
    """function(X, Y), broadcast. Torch detects mismatches; the messages are ours."""
    if X.dtype is not Y.dtype:
        raise mixed_dtypes(X.dtype, Y.dtype)
    if axis != -1 and axis + Y.dim() != X.dim() != Y.dim():
        X, Y = aligned(X, Y, axis)
    try:
        return function(X, Y)
    except RuntimeError as error:
        broadcast_shape(X.shape, Y.shape, -1)
        if "ZeroDivisionError" in str(error):
            raise ValueRangeError("Y holds a zero, and integers cannot be divided by it") from None
        raise


def aligned(X: Tensor, Y: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Both with the rank of the higher one, or ready for torch to add leading axes."""
    rank = max(X.dim(), Y.dim())
    if X.dim() < rank:
        return X.reshape(_aligned_shape(X.shape, rank, axis)), Y
    return X, Y.reshape(_aligned_shape(Y.shape, rank, axis))


def unbroadcast(grad: Tensor, shape: Shape, axis: int) -> Tensor:
    """The gradient of an input of `shape`: `grad` summed over the axes along which the input was repeated."""
    if grad.shape == shape:
        return grad
    # The bias of a fully connected layer.
    if len(shape) == 1 and grad.dim() == 2 and axis != 0 and shape[0] == grad.shape[1]:
        return grad.sum(0)
    # The bias of a convolution in channels_last: long rows are added up six times as fast as short ones.
    if len(shape) == 1 and axis == 1 and grad.dim() == 4 and grad.stride(1) == 1 and shape[0] == grad.shape[1]:
        n, c, h, w = grad.shape
        if grad.stride() == (h * w * c, 1, w * c, c):
            return grad.permute(0, 2, 3, 1).reshape(n * h, w * c).sum(0).view(w, c).sum(0)
    repeated = _repeated_axes(grad.shape, shape, axis)
    return grad.sum(repeated).reshape(shape) if repeated else grad.reshape(shape)


@lru_cache(maxsize=4096)
def _repeated_axes(full: Shape, shape: Shape, axis: int) -> tuple[int, ...]:
    laid = _aligned_shape(shape, len(full), axis)
    return tuple(i for i, (m, n) in enumerate(zip(full, laid)) if n == 1 and m != 1)


def _aligned_shape(shape: Sequence[int], rank: int, axis: int) -> tuple[int, ...]:
    """`shape` with ones around it, so that it has `rank` axes and starts at `axis`."""
    start = rank - len(shape) if axis == -1 or rank == len(shape) else axis
    behind = rank - len(shape) - start
    if start < 0 or behind < 0:
        raise ShapeError(f"an input of shape {list(shape)} does not fit into {rank} axes from axis {axis} on")
    return (1,) * start + tuple(shape) + (1,) * behind


def broadcast_shape(x: Sequence[int], y: Sequence[int], axis: int) -> tuple[int, ...]:
    """The shape of the result. -1 is an unknown size, which fits any other."""
    rank = max(len(x), len(y))
    sizes = []
    for m, n in zip(_aligned_shape(x, rank, axis), _aligned_shape(y, rank, axis)):
        if m != n and m != 1 and n != 1 and m != -1 and n != -1:
            raise ShapeError(
                f"X of shape {list(x)} and Y of shape {list(y)} do not broadcast (axis={axis}): {m} against {n}"
            )
        sizes.append(n if m == 1 else m if n == 1 else max(m, n))
    return tuple(sizes)


def infer_broadcast(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    """The inference rule of operators whose result has the dtype of X."""
    x, y = inputs
    if x.dtype is not y.dtype:
        raise mixed_dtypes(x.dtype, y.dtype)
    return [Spec(broadcast_shape(x.shape, y.shape, attrs["axis"]), x.dtype)]


def infer_predicate(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    """The same with a bool result."""
    return [Spec(infer_broadcast(inputs, attrs)[0].shape, torch.bool)]


def mixed_dtypes(x: torch.dtype, y: torch.dtype) -> DtypeError:
    return DtypeError(f"X and Y must have one dtype, got {TORCH_NAME.get(x, x)} and {TORCH_NAME.get(y, y)}")
