"""flatten, flatten2: a matrix, whose rows are the axes before `axis` and whose columns those from it on."""

from __future__ import annotations

import math
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.ops.registry import Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes, lod_if_rows_match, xshape


def matrix_shape(shape: Sizes, axis: int) -> tuple[int, int]:
    if not 0 <= axis <= len(shape):
        raise ArgumentError(f"axis must be in [0, {len(shape)}] for a tensor of rank {len(shape)}, got {axis}")
    return math.prod(shape[:axis]), math.prod(shape[axis:])


@op("Out", views="X")
def flatten(X: Tensor, *, axis: int = 1) -> Tensor:
    """Out [product of the sizes before axis, product of the others]."""
    return X.reshape(matrix_shape(X.shape, axis))


@op("Out XShape", intermediate="XShape", views="X")
def flatten2(X: Tensor, *, axis: int = 1) -> tuple[Tensor, Tensor]:
    """As flatten; XShape keeps X's shape for the gradient."""
    return X.reshape(matrix_shape(X.shape, axis)), xshape(X)


@flatten.grad
def flatten_grad(X: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad.reshape(X)


@flatten2.grad
def flatten2_grad(XShape: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad.reshape(XShape[1:])


def _out_shape(shape: Sizes, attrs: dict[str, Any]) -> Sizes:
    return matrix_shape(shape, attrs["axis"])


flatten.lods(lod_if_rows_match(_out_shape, 1))
flatten2.lods(lod_if_rows_match(_out_shape, 2))
