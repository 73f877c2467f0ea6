"""roi_pool: max pooling of regions of interest to one size."""

from __future__ import annotations

import torch

from refluid.ops.detection.regions import check_regions, image_of_each, rounded, table_of
from refluid.ops.registry import FLOATS, LoD, Shape, Tensor, op

_MAX = 2  # the number of that mode of embedding_bag


@op(
    "Out Argmax",
    intermediate="Argmax",
    nograd="ROIs RoisLod",
    lod=None,
    dtypes={"X": FLOATS, "ROIs": FLOATS},
    late="ROIs X",
)
def roi_pool(
    X: Tensor,
    ROIs: Tensor,
    ROIs_lod: LoD | None,
    RoisLod: Tensor | None = None,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """Out [regions, C, pooled_height, pooled_width] (Girshick, 2015): maxima of X [N, C, H, W]; 0 for empty bins.

    Argmax is the index of each maximum in its map [H * W], -1 for empty bins.
    """
    check_regions(X, ROIs, pooled_height, pooled_width)
    shape = (len(ROIs), X.shape[1], pooled_height, pooled_width)
    if X.is_meta or not len(ROIs):
        return X.new_empty(shape), torch.empty(shape, dtype=torch.int64, device=X.device)
    image = image_of_each(ROIs, ROIs_lod, X.shape[0], RoisLod)
    box = rounded(ROIs.to(X.dtype) * spatial_scale)
    top, bottom = _spans(box[:, 1], box[:, 3], pooled_height, X.shape[2])
    left, right = _spans(box[:, 0], box[:, 2], pooled_width, X.shape[3])
    rows, columns = _cells(top, bottom), _cells(left, right)
    place = rows[0][:, :, None, :, None] * X.shape[3] + columns[0][:, None, :, None, :]
    inside = (rows[1][:, :, None, :, None] & columns[1][:, None, :, None, :]).flatten(3)
    first = (image * (X.shape[2] * X.shape[3]))[:, None, None, None]
    counts = inside.sum(3).reshape(-1)
    # Maxima of bags of rows of the table of cells; an empty bag gives 0. _, _: the bag of each row, the sizes.
    best, _, _, where = torch.embedding_bag(
        table_of(X), (place.flatten(3) + first)[inside], counts.cumsum(0) - counts, mode=_MAX
    )
    where = torch.where(counts[:, None] > 0, where - first.expand(inside.shape[:3] + (1,)).reshape(-1, 1), -1)
    pooled, argmax = (one.reshape(*inside.shape[:3], -1).permute(0, 3, 1, 2) for one in (best, where))
    return pooled, argmax


@roi_pool.grad
def roi_pool_grad(
    X: Shape,
    ROIs: Tensor,
    ROIs_lod: LoD | None,
    RoisLod: Tensor | None,
    Argmax: Tensor,
    Out_grad: Tensor,
) -> Tensor:
    count, channels, height, width = X
    image = image_of_each(ROIs, ROIs_lod, count, RoisLod)
    plane = image[:, None] * channels + torch.arange(channels, device=image.device)
    there = Argmax >= 0
    place = plane[:, :, None, None] * (height * width) + torch.where(there, Argmax, 0)
    grad = Out_grad.new_zeros(count * channels * height * width)
    return grad.index_add(0, place.reshape(-1), torch.where(there, Out_grad, 0).reshape(-1)).reshape(X)


def _spans(start: Tensor, end: Tensor, parts: int, size: int) -> tuple[Tensor, Tensor]:
    """[regions, bins]: the start and end of each bin, clipped to the map."""
    part = ((end - start + 1).clamp_min(1) / parts)[:, None]
    number = torch.arange(parts, dtype=start.dtype, device=start.device)
    low, high = (number * part).floor() + start[:, None], ((number + 1) * part).ceil() + start[:, None]
    return low.clamp(0, size).long(), high.clamp(0, size).long()


def _cells(start: Tensor, end: Tensor) -> tuple[Tensor, Tensor]:
    """The indices [regions, parts, most] of every part, and which of them are in it."""
    most = max(int((end - start).max()), 1)
    index = start[..., None] + torch.arange(most, device=start.device)
    return index, index < end[..., None]
