"""Pooling of any rank, forward and backward, that pool2d, pool3d and max_pool*_with_index are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.layout import as_channels_last
from refluid.ops.aten import aten
from refluid.ops.nn.geometry import as_pad, check_length, crop, pad_sides
from refluid.ops.registry import Tensor


class Kernels(NamedTuple):
    """ATen's poolings of one rank."""

    max: Callable[..., Any]
    max_backward: Callable[..., Tensor]
    avg: Callable[..., Tensor]
    avg_backward: Callable[..., Tensor]
    adaptive_max: Callable[..., Any]
    adaptive_max_backward: Callable[..., Tensor]
    adaptive_avg: Callable[..., Tensor]
    adaptive_avg_backward: Callable[..., Tensor]


def _kernels(rank: int) -> Kernels:
    return Kernels(
        getattr(torch._C._nn, f"max_pool{rank}d_with_indices"),
        aten(f"max_pool{rank}d_with_indices_backward"),
        getattr(torch._C._nn, f"avg_pool{rank}d"),
        aten(f"avg_pool{rank}d_backward"),
        getattr(torch._C._nn, f"adaptive_max_pool{rank}d"),
        aten(f"adaptive_max_pool{rank}d_backward"),
        getattr(torch._C._nn, f"adaptive_avg_pool{rank}d"),
        aten(f"_adaptive_avg_pool{rank}d_backward"),
    )


KERNELS = {2: _kernels(2), 3: _kernels(3)}
ONES = {2: [1, 1], 3: [1, 1, 1]}
ZEROS = {2: [0, 0], 3: [0, 0, 0]}


class Windows(NamedTuple):
    """The windows' geometry: on the image itself with torch's own padding, or on one that is padded first."""

    ksize: Sequence[int]
    strides: Sequence[int]
    paddings: Sequence[int]
    ceil_mode: bool
    sides: list[tuple[int, int]] | None = None  # what to pad first


def windows(
    rank: int, sizes: Sequence[int], ksize: list[int], strides: list[int], paddings: list[int],
    padding_algorithm: str, ceil_mode: bool,
) -> Windows:  # fmt: skip
    return _windows(
        rank, tuple(sizes), tuple(ksize), tuple(strides), tuple(paddings), padding_algorithm, bool(ceil_mode)
    )


@lru_cache(1024)  # a loop asks for the same few again and again
def _windows(
    rank: int, sizes: tuple[int, ...], ksize: tuple[int, ...], strides: tuple[int, ...], paddings: tuple[int, ...],
    padding_algorithm: str, ceil_mode: bool,
) -> Windows:  # fmt: skip
    check_length("ksize", ksize, rank)
    check_length("strides", strides, rank)
    if min(ksize) < 1 or min(strides) < 1:
        raise ArgumentError(f"ksize and strides must be positive, got {list(ksize)} and {list(strides)}")
    sides = pad_sides(paddings, padding_algorithm, sizes, ksize, strides)
    as_torch, ends = True, []
    for axis, (n, k, s, (before, after)) in enumerate(zip(sizes, ksize, strides, sides), 2):
        room = n + before + after - k
        # Fluid rounds towards zero, so that one window may stick out of an image that is a little too small.
        count = (room + s - 1 if ceil_mode else room if room >= 0 else -(-room // s) * s) // s + 1
        if count < 1:
            raise ShapeError(
                f"the window spans {k} cells of axis {axis}, but the padded X has only {n + before + after}"
            )
        ends.append(max(after, (count - 1) * s + k - n - before))
        # torch leaves out windows that start after the image, and takes no padding beyond half a window.
        as_torch &= (
            before == after and 0 <= 2 * before <= k and room >= 0 and not (ceil_mode and (count - 1) * s >= n + before)
        )
    if as_torch:
        return Windows(ksize, strides, [before for before, _ in sides], ceil_mode)
    return Windows(ksize, strides, ZEROS[rank], False, [(before, end) for (before, _), end in zip(sides, ends)])


def _padded(x: Tensor, w: Windows, value: float) -> Tensor:
    return x if w.sides is None else torch.nn.functional.pad(x, as_pad(w.sides), value=value)


def _unpadded(x_grad: Tensor, sizes: Sequence[int], w: Windows) -> Tensor:
    return x_grad if w.sides is None else crop(x_grad, [before for before, _ in w.sides], sizes)


def max_pool(rank: int, x: Tensor, w: Windows) -> tuple[Tensor, Tensor]:
    """The maximum of every window, and the argmax indices (into the padded image, if it is padded first)."""
    x = _padded(x, w, torch.finfo(x.dtype).min)
    args = (w.ksize, w.strides, w.paddings, ONES[rank], w.ceil_mode)
    if rank == 2 and x.is_cpu and x.shape[1] >= 8 and x.is_contiguous():
        # Only with the channels last is ATen's CPU kernel a vector one: two copies and it are 4 times faster.
        out, indices = KERNELS[2].max(x.contiguous(memory_format=torch.channels_last), *args)
        return out.contiguous(), indices
    return KERNELS[rank].max(x, *args)


def max_pool_grad(rank: int, x: Tensor, indices: Tensor | None, out_grad: Tensor, w: Windows) -> Tensor:
    padded = _padded(x, w, torch.finfo(x.dtype).min)
    if indices is None:
        indices = max_pool(rank, x, w)[1]
    if rank == 2 and x.stride(1) == 1 and out_grad.stride(1) != 1:
        # ATen would copy the image to the gradient's layout; the gradient is a quarter of it.
        out_grad = as_channels_last(out_grad)
    x_grad = KERNELS[rank].max_backward(
        out_grad, padded, w.ksize, w.strides, w.paddings, ONES[rank], w.ceil_mode, indices
    )
    return _unpadded(x_grad, x.shape[2:], w)


def avg_pool(rank: int, x: Tensor, exclusive: bool, w: Windows) -> Tensor:
    """The mean of every window: over the cells inside the image if `exclusive`, else over the whole window."""
    avg = KERNELS[rank].avg
    if w.sides is None:
        return avg(
            x, w.ksize, w.strides, w.paddings, w.ceil_mode, not exclusive, None if exclusive else math.prod(w.ksize)
        )
    sums = avg(_padded(x, w, 0.0), w.ksize, w.strides, w.paddings, False, True, 1)
    return sums / _counts(rank, x, exclusive, w)


def avg_pool_grad(rank: int, x: Tensor, out_grad: Tensor, exclusive: bool, w: Windows) -> Tensor:
    backward = KERNELS[rank].avg_backward
    if w.sides is None:
        divisor = None if exclusive else math.prod(w.ksize)
        return backward(out_grad, x, w.ksize, w.strides, w.paddings, w.ceil_mode, not exclusive, divisor)
    out_grad = out_grad / _counts(rank, x, exclusive, w)
    x_grad = backward(out_grad, _padded(x, w, 0.0), w.ksize, w.strides, w.paddings, False, True, 1)
    return _unpadded(x_grad, x.shape[2:], w)


def _counts(rank: int, x: Tensor, exclusive: bool, w: Windows) -> Tensor | int:
    """The number of cells that each window of a padded image averages."""
    if not exclusive:
        return math.prod(w.ksize)
    inside = _padded(x.new_ones((1, 1, *x.shape[2:])), w, 0.0)
    return KERNELS[rank].avg(inside, w.ksize, w.strides, w.paddings, False, True, 1)


def global_avg_pool_grad(x: Tensor, out_grad: Tensor) -> Tensor:
    """One pass of writing, where the general kernel takes ten times as long."""
    share = (out_grad / math.prod(x.shape[2:])).expand(x.shape)
    last = x.dim() == 4 and x.is_contiguous(memory_format=torch.channels_last)
    return share.contiguous(memory_format=torch.channels_last if last else torch.contiguous_format)
