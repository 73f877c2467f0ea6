"""spp: spatial pyramid pooling."""

from __future__ import annotations

import math

import torch
from torch.nn.functional import avg_pool2d, max_pool2d, pad

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import FLOATS, Tensor, op

LOWEST = torch.finfo(torch.float32).min  # Fluid: the value of a bin that is all padding


@op("Out", dtypes={"X": FLOATS})
def spp(X: Tensor, *, pyramid_height: int, pooling_type: str) -> Tensor:
    """Level l pools X [N, C, H, W] into 2^l by 2^l bins; Out [N, C * (4^pyramid_height - 1) / 3] has all bins of all.

    A vector of one length from images of any size (He et al., 2014).
    """
    if X.dim() != 4:
        raise ShapeError(f"X must be [N, C, H, W], got {list(X.shape)}")
    if pooling_type not in ("max", "avg"):
        raise ArgumentError(f"pooling_type must be 'max' or 'avg', got {pooling_type!r}")
    return torch.cat([_level(X, 2**level, pooling_type == "max").flatten(1) for level in range(pyramid_height)], 1)


def _level(X: Tensor, bins: int, largest: bool) -> Tensor:
    """X padded alike on both sides, so far that bins of one size cover it."""
    sizes = [math.ceil(n / bins) for n in X.shape[2:]]
    margins = [(size * bins - n + 1) // 2 for size, n in zip(sizes, X.shape[2:], strict=True)]
    wide = pad(X, [margins[1], margins[1], margins[0], margins[0]], value=LOWEST if largest else 0.0)
    if largest:
        return max_pool2d(wide, sizes, sizes)
    return avg_pool2d(wide, sizes, sizes) if not any(margins) else _means(X, wide, sizes)


def _means(X: Tensor, wide: Tensor, sizes: list[int]) -> Tensor:
    """Means of bins that count no padding, as Fluid's `exclusive` pooling."""
    top, left = ((w - x) // 2 for w, x in zip(wide.shape[2:], X.shape[2:], strict=True))
    inside = pad(torch.ones_like(X[:1, :1]), [left, left, top, top])
    return avg_pool2d(wide, sizes, sizes) / avg_pool2d(inside, sizes, sizes)
