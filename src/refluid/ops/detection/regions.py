"""What pooling over regions of interest shares: the image of each region, and weighted sums of the cells of a map.

The weight of a cell is the product of the weights of its row and column, so a region needs those of its rows and
columns alone. Sums are embedding bags: the table has a row for every cell of every map, with its channels.
"""

from __future__ import annotations

import torch
from torch.nn.functional import embedding_bag

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import LoD, Tensor


def check_regions(X: Tensor, ROIs: Tensor, height: int, width: int, numbers: int = 4) -> None:
    if X.dim() != 4:
        raise ShapeError(f"the maps must be [N, C, H, W], got shape {list(X.shape)}")
    if ROIs.dim() != 2 or ROIs.shape[1] != numbers:
        raise ShapeError(f"ROIs must be [regions, {numbers}], got shape {list(ROIs.shape)}")
    if height <= 0 or width <= 0:
        raise ArgumentError(f"the pooled height and width must be positive, got {height} and {width}")


def image_of_each(ROIs: Tensor, lod: LoD | None, count: int, offsets: Tensor | None = None) -> Tensor:
    """The number of the image that each region is in, int64 [regions].

    From offsets [N + 1] if given, else from the LoD; without either there must be a single image.
    """
    if offsets is not None:
        lengths = torch.diff(offsets.reshape(-1).long())
    elif lod is not None:
        lengths = lod.lengths_tensor(device=ROIs.device)
    elif count == 1:
        return torch.zeros(len(ROIs), dtype=torch.int64, device=ROIs.device)
    else:
        raise ShapeError(f"ROIs must have a LoD that assigns each to one of {count} images")
    if len(lengths) != count:
        raise ShapeError(f"ROIs are of {len(lengths)} images, but there are {count} maps")
    if int(lengths.sum()) != len(ROIs):
        raise ShapeError(f"the images have {int(lengths.sum())} regions together, but ROIs has {len(ROIs)}")
    return torch.repeat_interleave(torch.arange(count, device=ROIs.device), lengths)


def table_of(X: Tensor) -> Tensor:
    """Maps [N, C, H, W] as rows [N * H * W, C]."""
    return X.permute(0, 2, 3, 1).reshape(-1, X.shape[1])


def weighted(table: Tensor, first: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """For every region and bin [regions, h, w] the weighted sum of cells: [regions, h, w, channels].

    Args:
        table: [cells, channels], maps of H * W cells one after the other.
        first: [regions, h, w] or [regions, 1, 1], the row of the table where the map of each bin starts.
        rows: the weights [regions, h, H]; columns: the weights [regions, w, W].
    """
    shape = (len(rows), rows.shape[1], columns.shape[1])
    if not len(rows):
        return table.new_zeros(*shape, table.shape[1])
    return bags(table, *_parts(first, rows, columns)).reshape(*shape, -1)


def weighted_back(grad: Tensor, count: int, first: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """The gradient of a table of `count` cells; `grad` is the gradient of `weighted`'s result.

    That is a sum for every cell over the bins that it is in: bags again, with the roles of both swapped. torch's own
    gradient of bags takes three times as long.
    """
    if not len(rows):
        return grad.new_zeros(count, grad.shape[-1])
    places, weights = _parts(first, rows, columns)
    size = places.shape[-2] * places.shape[-1]
    used = torch.nonzero(weights.reshape(-1)).squeeze(1)
    place = places.reshape(-1)[used]
    order = place.argsort()
    used, in_each = used[order], torch.bincount(place, minlength=count)
    return embedding_bag(
        used // size, grad.reshape(-1, grad.shape[-1]), in_each.cumsum(0) - in_each, mode="sum",
        per_sample_weights=weights.reshape(-1)[used].to(grad.dtype),
    )  # fmt: skip


def _parts(first: Tensor, rows: Tensor, columns: Tensor) -> tuple[Tensor, Tensor]:
    """The cells of every bin and their weights, each [regions, h, w, some rows, some columns]."""
    y, wy = _support(rows)
    x, wx = _support(columns)
    places = first[..., None, None] + y[:, :, None, :, None] * columns.shape[2] + x[:, None, :, None, :]
    return places, wy[:, :, None, :, None] * wx[:, None, :, None, :]


def bags(table: Tensor, places: Tensor, weights: Tensor) -> Tensor:
    """Weighted sums of the cells `places`, over their last two axes: [bags, channels]."""
    size = places.shape[-2] * places.shape[-1]
    return embedding_bag(
        places.reshape(-1, size), table, mode="sum", per_sample_weights=weights.reshape(-1, size).to(table.dtype)
    )


def _support(weights: Tensor) -> tuple[Tensor, Tensor]:
    """The part of weights [regions, parts, n] that is not 0, as indices and weights [regions, parts, m]."""
    n = weights.shape[2]
    there = weights.detach() != 0
    some = there.any(2)
    start = torch.where(some, there.int().argmax(2), 0)
    end = torch.where(some, n - there.flip(2).int().argmax(2), 0)
    length = max(int((end - start).max()), 1)
    start = start.clamp_max(n - length)
    index = start[..., None] + torch.arange(length, device=weights.device)
    return index, weights.gather(2, index)


def rounded(values: Tensor) -> Tensor:
    """Halves away from zero, as C++ rounds; torch rounds them to even numbers."""
    return torch.trunc(values + torch.copysign(torch.full_like(values, 0.5), values))


def covered(low: Tensor, high: Tensor, size: int) -> Tensor:
    """[regions, parts, size]: whether low <= index < high."""
    index = torch.arange(size, dtype=low.dtype, device=low.device)
    return (index >= low[..., None]) & (index < high[..., None])
