"""psroi_pool: position-sensitive RoI pooling: every bin of a region reads channels of its own."""

from __future__ import annotations

import math

import torch

from refluid.core.errors import ShapeError
from refluid.ops.detection.regions import check_regions, covered, image_of_each, rounded, weighted, weighted_back
from refluid.ops.registry import FLOATS, LoD, Shape, Tensor, op


@op("Out", nograd="ROIs", lod=None, dtypes={"X": FLOATS, "ROIs": FLOATS}, late="ROIs X")
def psroi_pool(
    X: Tensor,
    ROIs: Tensor,
    ROIs_lod: LoD | None,
    *,
    output_channels: int,
    spatial_scale: float = 1.0,
    pooled_height: int = 1,
    pooled_width: int = 1,
) -> Tensor:
    """Out [regions, output_channels, h, w] (Dai et al., 2016): means of X [N, output_channels * h * w, H, W]."""
    check_regions(X, ROIs, pooled_height, pooled_width)
    if X.shape[1] != output_channels * pooled_height * pooled_width:
        raise ShapeError(
            f"X has {X.shape[1]} channels, but output_channels * pooled_height * pooled_width is "
            f"{output_channels} * {pooled_height} * {pooled_width}"
        )
    if X.is_meta:
        return X.new_empty(len(ROIs), output_channels, pooled_height, pooled_width)
    parts = _parts(X.shape, ROIs, ROIs_lod, pooled_height, pooled_width, spatial_scale, X.dtype)
    by_part = X.reshape(X.shape[0], output_channels, pooled_height, pooled_width, *X.shape[2:])
    table = by_part.permute(0, 2, 3, 4, 5, 1).reshape(-1, output_channels)  # maps [N, part's row, part's column]
    return weighted(table, *parts).permute(0, 3, 1, 2)


@psroi_pool.grad
def psroi_pool_grad(
    X: Shape,
    ROIs: Tensor,
    ROIs_lod: LoD | None,
    Out_grad: Tensor,
    *,
    output_channels: int,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
) -> Tensor:
    parts = _parts(X, ROIs, ROIs_lod, pooled_height, pooled_width, spatial_scale, Out_grad.dtype)
    places = (X[0], pooled_height, pooled_width, *X[2:])
    grad = weighted_back(Out_grad.permute(0, 2, 3, 1), math.prod(places), *parts)
    return grad.reshape(*places, output_channels).permute(0, 5, 1, 2, 3, 4).reshape(X)


def _parts(
    X: Shape, ROIs: Tensor, lod: LoD | None, height: int, width: int, scale: float, dtype: torch.dtype
) -> tuple[Tensor, Tensor, Tensor]:
    """The start of each bin's map, and the weights of its rows and columns."""
    image = image_of_each(ROIs, lod, X[0])
    box = rounded(ROIs.to(dtype))
    low, high = box[:, :2] * scale, (box[:, 2:] + 1) * scale
    size = (high - low).clamp_min(0.1)
    columns, rows = _means(low[:, 0], size[:, 0], width, X[3]), _means(low[:, 1], size[:, 1], height, X[2])
    part = torch.arange(height * width, device=image.device).reshape(height, width)
    return (image[:, None, None] * (height * width) + part) * (X[2] * X[3]), rows, columns


def _means(start: Tensor, length: Tensor, parts: int, size: int) -> Tensor:
    part = (length / parts)[:, None]
    number = torch.arange(parts, dtype=start.dtype, device=start.device)
    low = (number * part + start[:, None]).floor().clamp(0, size)
    high = ((number + 1) * part + start[:, None]).ceil().clamp(0, size)
    return covered(low, high, size) / (high - low).clamp_min(1)[..., None]
