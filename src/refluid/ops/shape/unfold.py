"""unfold: the patches under a sliding window, as columns."""

from __future__ import annotations

import torch
from torch.nn import functional as F

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes


def _check(shape: Sizes, kernel: Sizes, strides: Sizes, paddings: Sizes, dilations: Sizes) -> None:
    if len(shape) != 4:
        raise ShapeError(f"X must have shape [N, C, H, W], got {list(shape)}")
    if not (len(kernel) == len(strides) == len(dilations) == 2 and len(paddings) == 4):
        raise ArgumentError("kernel_sizes, strides and dilations take 2 numbers, paddings 4: top, left, bottom, right")
    for size, k, before, after, d in zip(shape[2:], kernel, paddings[:2], paddings[2:], dilations, strict=True):
        if size + before + after < d * (k - 1) + 1:
            raise ShapeError(f"a window of {d * (k - 1) + 1} does not fit into {size} + {before} + {after} pixels")


@op("Y", lod=None)
def unfold(
    X: Tensor, *, kernel_sizes: list[int], strides: list[int], paddings: list[int], dilations: list[int]
) -> Tensor:
    """Y [N, C * kernel height * kernel width, number of windows]; paddings are top, left, bottom, right."""
    _check(X.shape, kernel_sizes, strides, paddings, dilations)
    window, gaps, steps = tuple(kernel_sizes), tuple(dilations), tuple(strides)
    top, left, bottom, right = paddings
    if top == bottom >= 0 and left == right >= 0:
        return F.unfold(X, window, gaps, (top, left), steps)
    return F.unfold(torch.constant_pad_nd(X, [left, right, top, bottom]), window, gaps, 0, steps)


@unfold.grad
def unfold_grad(
    X: Shape,
    Y_grad: Tensor,
    *,
    kernel_sizes: list[int],
    strides: list[int],
    paddings: list[int],
    dilations: list[int],
) -> Tensor:
    height, width = X[2], X[3]
    window, gaps, steps = tuple(kernel_sizes), tuple(dilations), tuple(strides)
    top, left, bottom, right = paddings
    if top == bottom >= 0 and left == right >= 0:
        return F.fold(Y_grad, (height, width), window, gaps, (top, left), steps)
    whole = F.fold(Y_grad, (height + top + bottom, width + left + right), window, gaps, 0, steps)
    return torch.constant_pad_nd(whole, [-left, -right, -top, -bottom])
