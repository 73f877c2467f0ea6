"""roi_align: RoI align: bilinear samples of regions, averaged by bin."""

from __future__ import annotations

import torch

from refluid.ops.detection.regions import check_regions, image_of_each, table_of, weighted, weighted_back
from refluid.ops.registry import FLOATS, LoD, Shape, Tensor, op


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

    ROIs [regions, 4] are (left, top, right, bottom), times `spatial_scale`. A bin of a region has sampling_ratio**2
    points, or if that is not positive one for every cell that it spans.
    """
    check_regions(X, ROIs, pooled_height, pooled_width)
    if X.is_meta:
        return X.new_empty(len(ROIs), X.shape[1], pooled_height, pooled_width)
    parts = _parts(
        X.shape, ROIs, ROIs_lod, RoisLod, pooled_height, pooled_width, spatial_scale, sampling_ratio, X.dtype
    )
    return weighted(table_of(X), *parts).permute(0, 3, 1, 2)


@roi_align.grad
def roi_align_grad(
    X: Shape,
    ROIs: Tensor,
    ROIs_lod: LoD | None,
    RoisLod: Tensor | None,
    Out_grad: Tensor,
    *,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sampling_ratio: int,
) -> Tensor:
    parts = _parts(
        X, ROIs, ROIs_lod, RoisLod, pooled_height, pooled_width, spatial_scale, sampling_ratio, Out_grad.dtype
    )
    count, channels, height, width = X
    grad = weighted_back(Out_grad.permute(0, 2, 3, 1), count * height * width, *parts)
    return grad.reshape(count, height, width, channels).permute(0, 3, 1, 2)


def _parts(
    X: Shape, ROIs: Tensor, lod: LoD | None, offsets: Tensor | None, height: int, width: int, scale: float, ratio: int,
    dtype: torch.dtype,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The start of each region's map, and the weights of its rows and columns."""
    image = image_of_each(ROIs, lod, X[0], offsets)
    box = ROIs.to(dtype) * scale
    size = (box[:, 2:] - box[:, :2]).clamp_min(1)
    columns = _weights(box[:, 0], size[:, 0], width, X[3], ratio)
    rows = _weights(box[:, 1], size[:, 1], height, X[2], ratio)
    return (image * (X[2] * X[3]))[:, None, None], rows, columns


def _weights(start: Tensor, length: Tensor, parts: int, size: int, ratio: int) -> Tensor:
    """The weight of each of `size` cells in each bin: [regions, bins, size]."""
    part = length / parts
    points = torch.full_like(part, ratio) if ratio > 0 else part.ceil()
    most = int(points.max()) if len(points) else 1
    k = torch.arange(most, dtype=start.dtype, device=start.device)
    position = torch.arange(parts, dtype=start.dtype, device=start.device)[:, None] * part[:, None, None]
    position = start[:, None, None] + position + (k + 0.5) * (part / points)[:, None, None]  # [regions, parts, points]
    counts = (k < points[:, None, None]) & (position >= -1) & (position <= size)
    position = position.clamp(0, size - 1)
    low = position.floor()
    share = torch.where(counts, 1 / points[:, None, None], 0)
    weights = start.new_zeros(*position.shape[:2], size)
    weights.scatter_add_(2, low.long(), share * (1 - (position - low)))
    return weights.scatter_add_(2, (low + 1).clamp_max(size - 1).long(), share * (position - low))
