"""What the sequence operators share: asking for a LoD, sums over sequences, and row numbers that a LoD implies."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.tensor.lod import LoD

Tensor = torch.Tensor


def need_lod(lod: LoD | None, rows: int, slot: str = "X", levels: int | None = None) -> LoD:
    """The LoD, or an error if it is missing, does not fit the tensor, or has not `levels` levels."""
    if lod is None:
        raise ShapeError(f"{slot} must be a LoDTensor with at least one level; feed it with fluid.create_lod_tensor")
    if lod.rows != rows:
        raise ShapeError(f"the LoD of {slot} ends at {lod.rows}, but {slot} has {rows} rows")
    if levels is not None and len(lod) != levels:
        raise ShapeError(f"{slot} must have {levels} LoD level, got {len(lod)}")
    return lod


def segment_sum(t: Tensor, lod: LoD) -> Tensor:
    """[rows, ...] -> [sequences, ...]: the sum of the rows of every sequence of the last level."""
    # embedding_bag is the fastest ATen kernel for this: index_add takes twice as long, segment_reduce twenty times.
    rows = torch.arange(t.shape[0], device=t.device)
    offsets = lod.offsets_tensor(device=t.device)
    matrix = t.flatten(1) if t.dim() > 1 else t.unsqueeze(1)
    bags = torch.embedding_bag(matrix, rows, offsets, mode=0, include_last_offset=True)
    return bags[0].reshape(lod.count(), *t.shape[1:])


def per_row(values: Tensor, lod: LoD) -> Tensor:
    """[sequences, ...] -> [rows, ...]: every row gets the value of its sequence."""
    return values.index_select(0, lod.segment_ids(device=values.device))


def has_empty(lod: LoD) -> bool:
    """Whether a sequence of the last level is empty."""
    offsets = lod.levels[-1]
    return len(set(offsets)) != len(offsets)


def positions(lod: LoD, device: torch.device) -> Tensor:
    """For every row its position in its sequence, int64 [rows]."""
    starts = per_row(lod.offsets_tensor(device=device)[:-1], lod)
    return torch.arange(lod.rows, device=device) - starts


def ranges(starts: Tensor, lengths: Tensor) -> Tensor:
    """The numbers start, start + 1, ... of all ranges one after the other, int64."""
    ends = torch.cumsum(lengths, 0)
    total = int(ends[-1]) if len(ends) else 0
    shift = torch.repeat_interleave(starts - ends + lengths, lengths, output_size=total)
    return torch.arange(total, device=starts.device) + shift


class Windows:
    """The rows `start` .. `start + length - 1` around every row, as far as they are in the row's own sequence.

    `rows` [n * length] are row numbers, any where the window leaves the sequence; `outside` are the indices into `rows`
    where it does, and `beyond` is for each the distance: -1, -2, .. before the sequence, 0, 1, .. after it.
    """

    def __init__(self, lod: LoD, start: int, length: int, device: torch.device):
        offsets = lod.offsets_tensor(device=device)
        first, end = per_row(offsets[:-1], lod).unsqueeze(1), per_row(offsets[1:], lod).unsqueeze(1)
        here = torch.arange(lod.rows, device=device).unsqueeze(1)
        rows = here + torch.arange(start, start + length, device=device)
        before, outside = rows < first, (rows < first) | (rows >= end)
        self.length = length
        self.outside = torch.nonzero(outside.reshape(-1)).squeeze(1)
        self.rows = torch.where(outside, here, rows).reshape(-1)
        self.beyond = (rows - torch.where(before, first, end)).reshape(-1).index_select(0, self.outside)

    def of(self, t: Tensor, pad: float | Tensor = 0.0) -> Tensor:
        """[rows, width] -> [rows, length * width]: the windows of t, with `pad` where they leave the sequence.

        `pad` is a number or [number of `outside`, width].
        """
        taken = t.index_select(0, self.rows)
        if isinstance(pad, torch.Tensor):
            taken = taken.index_copy(0, self.outside, pad)
        else:
            taken.index_fill_(0, self.outside, pad)
        return taken.reshape(t.shape[0], self.length * t.shape[1])


def windows(lod: LoD, start: int, length: int, device: torch.device) -> Windows:
    """The windows of a LoD, made once."""
    return lod.cached(("windows", start, length, device), lambda: Windows(lod, start, length, device))
