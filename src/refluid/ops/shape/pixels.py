"""space_to_depth, pixel_shuffle, shuffle_channel: pixels to channels, channels to pixels, and channel shuffling."""

from __future__ import annotations

from torch.nn import functional as F

from refluid.core.errors import ShapeError
from refluid.ops.registry import Long, Shape, Tensor, op


def _check(X: Tensor) -> None:
    if X.dim() != 4:
        raise ShapeError(f"X must have shape [N, C, H, W], got {list(X.shape)}")


@op("Out", lod=None)
def space_to_depth(X: Tensor, *, blocksize: Long = 2) -> Tensor:
    """Out [N, C * b * b, H / b, W / b] for b = blocksize.

    Fluid: channel k of X is written to every b-th pixel of a [N, C / b / b, H * b, W * b] picture, from the pixel
    (k * b * b // C) on, and the memory of that picture is then read in the shape of Out.
    """
    _check(X)
    n, channels, height, width = X.shape
    b = blocksize
    if b < 1 or channels % (b * b) or height % b or width % b:
        raise ShapeError(f"C must be a multiple of {b * b}, H and W of {b}, got {channels}, {height} and {width}")
    spread = X.reshape(n, b, b, channels // (b * b), height, width).permute(0, 3, 4, 1, 5, 2)
    return spread.reshape(n, channels * b * b, height // b, width // b)


@space_to_depth.grad
def space_to_depth_grad(X: Shape, Out_grad: Tensor, *, blocksize: Long) -> Tensor:
    n, channels, height, width = X
    b = blocksize
    spread = Out_grad.reshape(n, channels // (b * b), height, b, width, b)
    return spread.permute(0, 3, 5, 1, 2, 4).reshape(n, channels, height, width)


@op("Out", lod=None)
def pixel_shuffle(X: Tensor, *, upscale_factor: int = 1) -> Tensor:
    """Out [N, C / r / r, H * r, W * r] for r = upscale_factor: r * r channels make the pixels of one block."""
    _check(X)
    if upscale_factor < 1 or X.shape[1] % upscale_factor**2:
        raise ShapeError(f"C must be a multiple of upscale_factor squared, got C={X.shape[1]} and {upscale_factor}")
    return F.pixel_shuffle(X, upscale_factor)


@pixel_shuffle.grad
def pixel_shuffle_grad(Out_grad: Tensor, *, upscale_factor: int) -> Tensor:
    return F.pixel_unshuffle(Out_grad, upscale_factor)


@op("Out", lod=None)
def shuffle_channel(X: Tensor, *, group: int = 1) -> Tensor:
    """Out is X with the channels of its groups interleaved: one of each group, then the next of each."""
    _check(X)
    if group < 1 or X.shape[1] % group:
        raise ShapeError(f"C must be a multiple of group, got C={X.shape[1]} and group={group}")
    return _shuffled(X, group)


@shuffle_channel.grad
def shuffle_channel_grad(Out_grad: Tensor, *, group: int) -> Tensor:
    return _shuffled(Out_grad, Out_grad.shape[1] // group)


def _shuffled(t: Tensor, group: int) -> Tensor:
    n, channels, height, width = t.shape
    return t.reshape(n, group, channels // group, height, width).transpose(1, 2).reshape(t.shape)
