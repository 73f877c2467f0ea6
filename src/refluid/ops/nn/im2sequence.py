"""im2sequence: the windows of an image as a sequence, as text recognition reads it."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.infer import Spec
from refluid.ops.nn.geometry import check_length, check_rank
from refluid.ops.registry import FLOATS, LoD, Tensor, op


@op(dtypes={"X": FLOATS}, nograd="Y")
def im2sequence(
    X: Tensor,
    Y: Tensor | None = None,
    *,
    kernels: list[int],
    strides: list[int] = [1, 1],
    paddings: list[int] = [0, 0, 0, 0],
    out_stride: list[int] = [1, 1],
) -> Tensor:
    """Out[i] = the i-th window of X, flat [channels * height * width]; the windows of one image are one sequence.

    `paddings` are up, left, down, right. Y [batch, 2], if given, has the true height and width of each image before it
    was scaled down by `out_stride`; windows beyond them are left out.
    """
    check_rank("X", X, 4)
    check_length("kernels", kernels, 2)
    check_length("paddings", paddings, 4)
    up, left, down, right = paddings
    pad = [left, right, up, down]
    if Y is None:
        columns = torch.nn.functional.unfold(torch.nn.functional.pad(X, pad), kernels, stride=strides)
        return columns.transpose(1, 2).reshape(-1, columns.shape[1])
    rows = []
    for image, (height, width) in zip(X, _true_sizes(Y, out_stride)):
        image = torch.nn.functional.pad(image[:, :height, :width], pad)
        rows.append(torch.nn.functional.unfold(image, kernels, stride=strides).t())
    return torch.cat(rows)


@im2sequence.infer
def im2sequence_infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, y = inputs
    check_length("kernels", attrs["kernels"], 2)
    count = -1
    if y is None and min(x.shape) > 0:
        count = x.shape[0] * _count(x.shape[2], x.shape[3], attrs)
    columns = -1 if x.shape[1] < 0 else x.shape[1] * attrs["kernels"][0] * attrs["kernels"][1]
    return [Spec((count, columns), x.dtype, 1)]


@im2sequence.lods
def im2sequence_lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD]:
    x, y = values
    if y is None:
        return [LoD.from_lengths([[_count(x.shape[2], x.shape[3], attrs)] * x.shape[0]])]
    sizes = _true_sizes(y, attrs["out_stride"])
    return [LoD.from_lengths([[_count(min(h, x.shape[2]), min(w, x.shape[3]), attrs) for h, w in sizes]])]


def _count(height: int, width: int, attrs: dict[str, Any]) -> int:
    """The number of windows of one image."""
    up, left, down, right = attrs["paddings"]
    (kernel_h, kernel_w), (stride_h, stride_w) = attrs["kernels"], attrs["strides"]
    rows = (height + up + down - kernel_h) // stride_h + 1
    columns = (width + left + right - kernel_w) // stride_w + 1
    if rows < 1 or columns < 1:
        raise ArgumentError(f"kernels {[kernel_h, kernel_w]} are larger than the padded image of {[height, width]}")
    return rows * columns


def _true_sizes(y: Tensor, out_stride: list[int]) -> list[list[int]]:
    return [[-(-int(n) // s) for n, s in zip(size, out_stride)] for size in y.tolist()]
