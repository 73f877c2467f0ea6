"""roi_align: regions of interest as maps of one size, by interpolation."""

from __future__ import annotations

import torch

from refluid.ops.detection.regions import check_regions, image_of_each, table_of, weighted
from refluid.ops.registry import FLOATS, LoD, Tensor, op


@op("Out", nograd="ROIs RoisLod", lod=None, dtypes={"X": FLOATS, "ROIs": FLOATS})
def roi_align(
    X: Tensor,
    ROIs: Tensor,
    ROIs_lod: LoD | None,
    RoisLod: Tensor | None = None,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
) -> Tensor:
    """Out [regions, C, pooled_height, pooled_width] (He et al., 2017): means of points of X [N, C, H, W].

    ROIs [regions, 4] are (left, top, right, bottom), times `spatial_scale`. A part of a region has sampling_ratio**2
    points, or if that is not positive one for every place that it spans.
    """
    check_regions(X, ROIs, pooled_height, pooled_width)
    if X.is_meta:
        return X.new_empty(len(ROIs), X.shape[1], pooled_height, pooled_width)
    image = image_of_each(ROIs, ROIs_lod, X.shape[0], RoisLod)
    box = ROIs.to(X.dtype) * spatial_scale
    size = (box[:, 2:] - box[:, :2]).clamp_min(1)
    columns = _weights(box[:, 0], size[:, 0], pooled_width, X.shape[3], sampling_ratio)
    rows = _weights(box[:, 1], size[:, 1], pooled_height, X.shape[2], sampling_ratio)
    first = (image * (X.shape[2] * X.shape[3]))[:, None, None]
    return weighted(table_of(X), first, rows, columns).permute(0, 3, 1, 2)


def _weights(start: Tensor, length: Tensor, parts: int, size: int, ratio: int) -> Tensor:
    """How much each of `size` places counts in each part: [regions, parts, size]."""
    part = length / parts
    points = torch.full_like(part, ratio) if ratio > 0 else part.ceil()
    most = int(points.max()) if len(points) else 1
    k = torch.arange(most, dtype=start.dtype, device=start.device)
    at = torch.arange(parts, dtype=start.dtype, device=start.device)[:, None] * part[:, None, None]
    at = start[:, None, None] + at + (k + 0.5) * (part / points)[:, None, None]  # [regions, parts, points]
    counts = (k < points[:, None, None]) & (at >= -1) & (at <= size)
    at = at.clamp(0, size - 1)
    low = at.floor()
    share = torch.where(counts, 1 / points[:, None, None], 0)
    found = start.new_zeros(*at.shape[:2], size)
    found.scatter_add_(2, low.long(), share * (1 - (at - low)))
    return found.scatter_add_(2, (low + 1).clamp_max(size - 1).long(), share * (at - low))
