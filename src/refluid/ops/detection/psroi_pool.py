"""psroi_pool: regions of interest as maps of one size, every part from channels of its own."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.detection.regions import check_regions, covered, image_of_each, rounded, weighted
from refluid.ops.registry import FLOATS, LoD, Tensor, op


@op("Out", nograd="ROIs", lod=None, dtypes={"X": FLOATS, "ROIs": FLOATS})
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
    image = image_of_each(ROIs, ROIs_lod, X.shape[0])
    box = rounded(ROIs.to(X.dtype))
    low, high = box[:, :2] * spatial_scale, (box[:, 2:] + 1) * spatial_scale
    size = (high - low).clamp_min(0.1)
    columns = _means(low[:, 0], size[:, 0], pooled_width, X.shape[3])
    rows = _means(low[:, 1], size[:, 1], pooled_height, X.shape[2])
    return weighted(
        position_table(X, output_channels, pooled_height, pooled_width),
        position_starts(image, pooled_height, pooled_width, X.shape[2] * X.shape[3]), rows, columns,
    ).permute(0, 3, 1, 2)  # fmt: skip


def position_table(X: Tensor, channels: int, height: int, width: int) -> Tensor:
    """X as rows of places, in maps [N, part's row, part's column]."""
    parts = X.reshape(X.shape[0], channels, height, width, *X.shape[2:])
    return parts.permute(0, 2, 3, 4, 5, 1).reshape(-1, channels)


def position_starts(image: Tensor, height: int, width: int, places: int) -> Tensor:
    """Where in that table the map of every part [regions, h, w] starts."""
    part = torch.arange(height * width, device=image.device).reshape(height, width)
    return (image[:, None, None] * (height * width) + part) * places


def _means(start: Tensor, length: Tensor, parts: int, size: int) -> Tensor:
    part = (length / parts)[:, None]
    number = torch.arange(parts, dtype=start.dtype, device=start.device)
    low = (number * part + start[:, None]).floor().clamp(0, size)
    high = ((number + 1) * part + start[:, None]).ceil().clamp(0, size)
    return covered(low, high, size) / (high - low).clamp_min(1)[..., None]
