"""im2sequence: the patches of every image as a sequence."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import LoD, Tensor, op


@op("Out", nograd="Y", makes_lod=True)
def im2sequence(
    X: Tensor,
    Y: Tensor | None,
    *,
    kernels: list[int],
    strides: list[int] = [1, 1],  # never changed
    paddings: list[int] = [0, 0, 0, 0],  # never changed
    out_stride: list[int] = [1, 1],  # never changed
) -> Tensor:
    """Every position of the kernel on an image [channels, height, width] is a row of channels * kernel elements.

    paddings: above, left, below, right. Y [images, 2] holds the heights and widths of the images before they were
    shrunk by `out_stride`; only positions inside these count. Rows of Y beyond the number of images are ignored.
    """
    _check(X.shape, kernels, paddings)
    up, left, down, right = paddings
    columns = F.unfold(F.pad(X, (left, right, up, down)), tuple(kernels[:2]), stride=tuple(strides)).transpose(1, 2)
    if Y is None:
        return columns.flatten(0, 1)
    across = _positions(X.shape[3] + left + right, kernels[1], strides[1])
    grid = columns.unflatten(1, (-1, across))
    parts = [
        grid[i, :h, :w].flatten(0, 1)
        for i, (h, w) in enumerate(_sizes(X.shape, Y, kernels, strides, paddings, out_stride))
    ]
    return torch.cat(parts)


@im2sequence.infer
def im2sequence_shape(inputs: list, attrs: dict) -> list:
    x: Spec = inputs[0]
    kernels = attrs["kernels"]
    _check(x.shape, kernels, attrs["paddings"])
    channels = x.shape[1]
    return [Spec((-1, channels * kernels[0] * kernels[1] if channels > 0 else -1), x.dtype, 1)]


@im2sequence.lods
def im2sequence_lods(ins: list, values: list, attrs: dict) -> list:
    sizes = _sizes(
        values[0].shape, values[1], *(attrs[name] for name in ("kernels", "strides", "paddings", "out_stride"))
    )
    return [LoD.from_lengths([[h * w for h, w in sizes]])]


def _positions(size: int, kernel: int, stride: int) -> int:
    return (size - kernel) // stride + 1


def _sizes(x: tuple, Y: Tensor | None, kernels: list, strides: list, paddings: list, out_stride: list) -> list:
    """The number of vertical and horizontal kernel positions on each image."""
    up, left, down, right = paddings

    def positions(height: int, width: int) -> tuple[int, int]:
        return _positions(height + up + down, kernels[0], strides[0]), _positions(
            width + left + right, kernels[1], strides[1]
        )

    if Y is None:
        return [positions(x[2], x[3])] * x[0]
    return [positions(-(-int(h) // out_stride[0]), -(-int(w) // out_stride[1])) for h, w in Y[: x[0]].tolist()]


def _check(x: tuple[int, ...], kernels: list[int], paddings: list[int]) -> None:
    if len(x) != 4:
        raise ShapeError(f"X must be [images, channels, height, width], got {list(x)}")
    if len(kernels) < 2 or len(paddings) != 4:  # Fluid: what follows two kernels is not read
        raise ShapeError(f"kernels must be 2 and paddings 4 numbers, got {list(kernels)} and {list(paddings)}")
