"""var_conv_2d: a convolution over images of different sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, LoD, Shape, Tensor, op
from refluid.ops.sequence.grids import check_column, grids


@op("Out Col", nograd="Col", dtypes={"X": FLOATS, "W": FLOATS}, grad_keeps="Col Out")
def var_conv_2d(
    X: Tensor,
    X_lod: LoD | None,
    ROW: Shape,
    ROW_lod: LoD | None,
    COLUMN: Shape,
    COLUMN_lod: LoD | None,
    W: Tensor,
    *,
    InputChannel: int = 1,
    OutputChannel: int = 1,
    StrideH: int = 1,
    StrideW: int = 1,
    KernelH: int = 1,
    KernelW: int = 1,
) -> tuple[Tensor, Tensor]:
    """Sequence i of Out [.., 1] is the image of sequence i of X convolved: [OutputChannel, height, width], flattened.

    A filter starts kernel // 2 cells before its position, with zero padding, so that a stride of 1 keeps the size. W is
    [OutputChannel, InputChannel * KernelH * KernelW]. Col [.., 1] holds the patches that W is multiplied by.
    """
    _check(X.shape, W.shape, InputChannel, OutputChannel, KernelH, KernelW)
    before = (KernelW // 2, KernelW - 1 - KernelW // 2, KernelH // 2, KernelH - 1 - KernelH // 2)
    outs, columns = [X.new_zeros(0)], [X.new_zeros(0)]
    for grid in grids(X_lod, X.shape, ROW_lod, COLUMN_lod, InputChannel):
        if grid.end > grid.start:
            image = X[grid.start : grid.end].reshape(1, InputChannel, grid.height, grid.width)
            padded = torch.nn.functional.pad(image, before)
            patches = torch.nn.functional.unfold(padded, (KernelH, KernelW), stride=(StrideH, StrideW))[0]
            outs.append((W @ patches).reshape(-1))
            columns.append(patches.reshape(-1))
    return torch.cat(outs).unsqueeze(1), torch.cat(columns).unsqueeze(1)


@var_conv_2d.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, _, _, w = inputs
    names = ("InputChannel", "OutputChannel", "KernelH", "KernelW")
    _check(x.shape, w.shape, *(attrs[name] for name in names))
    return [Spec((-1, 1), x.dtype, 1), Spec((-1, 1), x.dtype, 1)]


@var_conv_2d.lods
def _lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    _, row, column, _ = ins
    if row is None or column is None:
        return [None, None]  # the kernel refuses it
    sizes = [
        _steps(h, attrs["StrideH"]) * _steps(w, attrs["StrideW"])
        for h, w in zip(row.lengths()[0], column.lengths()[0], strict=True)
    ]
    patch = attrs["InputChannel"] * attrs["KernelH"] * attrs["KernelW"]
    return [LoD.from_lengths([[n * times for n in sizes]]) for times in (attrs["OutputChannel"], patch)]


def _steps(size: int, stride: int) -> int:
    return (size - 1) // stride + 1 if size else 0


def _check(x: object, w: Sequence[int], channels: int, filters: int, height: int, width: int) -> None:
    check_column(x)
    wanted = [filters, channels * height * width]
    if list(w) != wanted:
        raise ShapeError(f"W must be [OutputChannel, InputChannel * KernelH * KernelW] = {wanted}, got {list(w)}")
