"""temporal_shift: shifts channels between neighbouring frames of a video."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.nn.geometry import check_rank
from refluid.ops.registry import FLOATS, Tensor, op


@op(dtypes={"X": FLOATS})
def temporal_shift(X: Tensor, *, seg_num: int, shift_ratio: float = 0.25) -> Tensor:
    """Out: the first `shift_ratio` of the channels come from the frame before, as many next ones from the frame after.

    X is [videos * seg_num, channels, H, W]; the first and last frames have no neighbour and get zeros.
    """
    return _shift(X, seg_num, shift_ratio, 1)


@temporal_shift.grad
def temporal_shift_grad(Out_grad: Tensor, *, seg_num: int, shift_ratio: float) -> Tensor:
    return _shift(Out_grad, seg_num, shift_ratio, -1)


def _shift(t: Tensor, frames: int, ratio: float, by: int) -> Tensor:
    check_rank("X", t, 4)
    if not 0.0 < ratio < 0.5:
        raise ArgumentError(f"shift_ratio must lie between 0 and 0.5, got {ratio}")
    if frames < 1 or t.shape[0] % frames:
        raise ShapeError(f"X has {t.shape[0]} frames, which are not videos of seg_num={frames}")
    first_end, second_end = int(t.shape[1] * ratio), int(t.shape[1] * 2 * ratio)
    videos = t.reshape(-1, frames, *t.shape[1:])
    parts = videos.split([first_end, second_end - first_end, t.shape[1] - second_end], dim=2)
    return torch.cat([_moved(parts[0], by), _moved(parts[1], -by), parts[2]], dim=2).reshape(t.shape)


def _moved(videos: Tensor, by: int) -> Tensor:
    """Every frame takes the place `by` frames later; zeros come in."""
    zeros = torch.zeros_like(videos[:, :1])
    return torch.cat([zeros, videos[:, :-1]], 1) if by > 0 else torch.cat([videos[:, 1:], zeros], 1)
