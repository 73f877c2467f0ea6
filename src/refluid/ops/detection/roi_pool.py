"""roi_pool: regions of interest as maps of one size, by maxima."""

from __future__ import annotations

import torch

from refluid.ops.detection.regions import check_regions, image_of_each, rounded
from refluid.ops.registry import FLOATS, LoD, Shape, Tensor, op

_BUDGET = 1 << 22  # how many numbers are looked at in one go


@op("Out Argmax", intermediate="Argmax", nograd="ROIs RoisLod", lod=None, dtypes={"X": FLOATS, "ROIs": FLOATS})
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
    """Out [regions, C, pooled_height, pooled_width] (Girshick, 2015): maxima of X [N, C, H, W]; 0 of no places.

    Argmax says where in its map [H * W] each maximum is, -1 for none.
    """
    check_regions(X, ROIs, pooled_height, pooled_width)
    shape = (len(ROIs), X.shape[1], pooled_height, pooled_width)
    if X.is_meta or not len(ROIs):
        return X.new_empty(shape), torch.empty(shape, dtype=torch.int64, device=X.device)
    image = image_of_each(ROIs, ROIs_lod, X.shape[0], RoisLod)
    box = rounded(ROIs.to(X.dtype) * spatial_scale)
    top, bottom = _spans(box[:, 1], box[:, 3], pooled_height, X.shape[2])
    left, right = _spans(box[:, 0], box[:, 2], pooled_width, X.shape[3])
    high, wide = (max(int((b - a).max()), 1) for a, b in ((top, bottom), (left, right)))
    step = max(_BUDGET // (X.shape[1] * pooled_height * pooled_width * high * wide), 1)
    found = [
        _maxima(X, image[i], *(_cells(a[i], b[i], n) for a, b, n in ((top, bottom, high), (left, right, wide))))
        for i in torch.arange(len(ROIs), device=X.device).split(step)
    ]
    return torch.cat([value for value, _ in found]), torch.cat([where for _, where in found])


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
    """[regions, parts]: where each part starts and ends, within the map."""
    part = ((end - start + 1).clamp_min(1) / parts)[:, None]
    number = torch.arange(parts, dtype=start.dtype, device=start.device)
    low, high = (number * part).floor() + start[:, None], ((number + 1) * part).ceil() + start[:, None]
    return low.clamp(0, size).long(), high.clamp(0, size).long()


def _cells(start: Tensor, end: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """The indices [regions, parts, most] of every part, and which of them are in it."""
    index = start[..., None] + torch.arange(most, device=start.device)
    inside = index < end[..., None]
    return torch.where(inside, index, 0), inside


def _maxima(X: Tensor, image: Tensor, rows: tuple, columns: tuple) -> tuple[Tensor, Tensor]:
    (y, in_y), (x, in_x) = rows, columns
    y, in_y = y[:, :, None, :, None], in_y[:, :, None, :, None]
    x, in_x = x[:, None, :, None, :], in_x[:, None, :, None, :]
    place = (y * X.shape[3] + x).flatten(3)  # [regions, h, w, cells]
    inside = (in_y & in_x).flatten(3)
    seen = X.flatten(2)[image[:, None, None, None], :, place]  # [regions, h, w, cells, C]
    best, which = torch.where(inside[..., None], seen, -torch.inf).max(3)
    some = inside.any(3)[..., None]
    where = torch.where(some, place.gather(3, which), -1)
    return torch.where(some, best, 0).permute(0, 3, 1, 2), where.permute(0, 3, 1, 2)
