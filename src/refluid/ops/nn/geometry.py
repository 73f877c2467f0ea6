"""What convolutions and poolings share: paddings in all of Fluid's forms, and both layouts."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import Tensor

CHANNELS_FIRST = ("NCHW", "NCDHW", "AnyLayout")
CHANNELS_LAST = ("NHWC", "NDHWC")


def is_channels_last(layout: str) -> bool:
    """Whether the attribute `data_format` (or `data_layout`) puts the channels on the last axis."""
    if layout in CHANNELS_FIRST:
        return False
    if layout in CHANNELS_LAST:
        return True
    raise ArgumentError(f"the data format must be one of {', '.join(CHANNELS_FIRST + CHANNELS_LAST)}, got {layout!r}")


def channels_first(t: Tensor) -> Tensor:
    """[N, ..., C] as a view [N, C, ...]; of a contiguous tensor that is torch's channels_last memory format."""
    return t.movedim(-1, 1)


def channels_last(t: Tensor) -> Tensor:
    """[N, C, ...] as a view [N, ..., C]."""
    return t.movedim(1, -1)


def check_rank(name: str, t: Tensor, rank: int) -> None:
    if t.dim() != rank:
        raise ShapeError(f"{name} must have {rank} dimensions, got {t.dim()}: {list(t.shape)}")


def check_length(name: str, values: Sequence[int], rank: int) -> None:
    if len(values) != rank:
        raise ArgumentError(f"{name} must have {rank} numbers, got {list(values)}")


def pad_sides(
    paddings: Sequence[int], algorithm: str, sizes: Sequence[int], window: Sequence[int], strides: Sequence[int]
) -> list[tuple[int, int]]:
    """The padding (before, after) of each spatial axis.

    Fluid writes one number per axis, or two (before, after); SAME pads so that a stride of 1 keeps the size, the odd
    cell after the image. A negative padding crops.
    """
    rank = len(sizes)
    if algorithm == "VALID":
        return [(0, 0)] * rank
    if algorithm == "SAME":
        totals = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(sizes, window, strides)]
        return [(total // 2, total - total // 2) for total in totals]
    if algorithm != "EXPLICIT":
        raise ArgumentError(f"padding_algorithm must be EXPLICIT, SAME or VALID, got {algorithm!r}")
    if len(paddings) == rank:
        return [(p, p) for p in paddings]
    if len(paddings) == 2 * rank:
        return list(zip(paddings[::2], paddings[1::2]))
    raise ArgumentError(f"paddings must have {rank} or {2 * rank} numbers, got {list(paddings)}")


def as_pad(sides: Sequence[tuple[int, int]]) -> list[int]:
    """As torch's `pad` wants it: the last axis first."""
    return [n for side in reversed(sides) for n in side]


def crop(t: Tensor, starts: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """The part of the spatial axes that starts at `starts` and has these sizes; zeros outside of `t`."""
    if min(starts) < 0 or any(start + size > n for n, start, size in zip(t.shape[2:], starts, sizes)):
        sides = [(-start, start + size - n) for n, start, size in zip(t.shape[2:], starts, sizes)]
        return torch.nn.functional.pad(t, as_pad(sides))
    for axis, (start, size) in enumerate(zip(starts, sizes), 2):
        if t.shape[axis] != size:
            t = t.narrow(axis, start, size)
    return t
