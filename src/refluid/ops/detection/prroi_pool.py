"""prroi_pool: regions of interest as maps of one size, by exact means of the interpolated map."""

from __future__ import annotations

import torch

from refluid.ops.detection.regions import check_regions, image_of_each, table_of, weighted
from refluid.ops.registry import FLOATS, INDICES, LoD, Tensor, op


@op("Out", lod=None, dtypes={"X": FLOATS, "ROIs": FLOATS, "BatchRoINums": INDICES}, late="ROIs X", grad_keeps="Out")
def prroi_pool(
    X: Tensor,
    ROIs: Tensor,
    ROIs_lod: LoD | None,
    BatchRoINums: Tensor | None = None,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
) -> Tensor:
    """Out [regions, C, pooled_height, pooled_width] (Jiang et al., 2018): integrals over bins, divided by their areas.

    X [N, C, H, W] is interpolated bilinearly and 0 outside. BatchRoINums [N] counts the regions of every
    image in place of the LoD. Gradients go to the regions too.
    """
    check_regions(X, ROIs, pooled_height, pooled_width)
    if X.is_meta:
        return X.new_empty(len(ROIs), X.shape[1], pooled_height, pooled_width)
    offsets = None if BatchRoINums is None else torch.nn.functional.pad(BatchRoINums.reshape(-1).cumsum(0), (1, 0))
    image = image_of_each(ROIs, ROIs_lod, X.shape[0], offsets)
    box = ROIs.to(X.dtype) * spatial_scale
    columns = _weights(box[:, 0], box[:, 2], pooled_width, X.shape[3])
    rows = _weights(box[:, 1], box[:, 3], pooled_height, X.shape[2])
    first = (image * (X.shape[2] * X.shape[3]))[:, None, None]
    return weighted(table_of(X), first, rows, columns).permute(0, 3, 1, 2)


def _weights(start: Tensor, end: Tensor, parts: int, size: int) -> Tensor:
    """The mean over each bin of the hat function centred at each cell: [regions, bins, size]."""
    part = ((end - start).clamp_min(0) / parts)[:, None, None]
    number = torch.arange(parts, dtype=start.dtype, device=start.device)[:, None]
    place = torch.arange(size, dtype=start.dtype, device=start.device)
    low = start[:, None, None] + number * part - place
    whole = _below(low + part) - _below(low)
    return torch.where(part > 0, whole / torch.where(part > 0, part, 1), 0)


def _below(t: Tensor) -> Tensor:
    """The integral up to t of the hat function max(0, 1 - |t|)."""
    t = t.clamp(-1, 1)
    return 0.5 + t - 0.5 * t * t.abs()
