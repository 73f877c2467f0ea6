"""What operators of ragged images share: an image is as high as a sequence of ROW is long, as wide as one of COLUMN."""

from __future__ import annotations

from typing import Any, NamedTuple

from refluid.core.errors import ShapeError
from refluid.ops.registry import LoD
from refluid.ops.sequence.segments import need_lod


class Grid(NamedTuple):
    """One image in X [total length, 1]."""

    start: int
    end: int
    height: int
    width: int


def grids(X_lod: LoD | None, x: Any, ROW_lod: LoD | None, COLUMN_lod: LoD | None, channels: int) -> list[Grid]:
    """The images of X, whose sequences are [channels, height, width], flattened."""
    lod = need_lod(X_lod, x[0], levels=1)
    if ROW_lod is None or COLUMN_lod is None:
        raise ShapeError("ROW and COLUMN must be LoDTensors; feed them with fluid.create_lod_tensor")
    heights, widths = ROW_lod.lengths()[0], COLUMN_lod.lengths()[0]
    if not lod.count() == len(heights) == len(widths):
        raise ShapeError(
            f"X, ROW and COLUMN must have the same number of sequences, got {lod.count()}, {len(heights)} and "
            f"{len(widths)}"
        )
    images = [Grid(a, b, h, w) for (a, b), h, w in zip(lod.spans(), heights, widths, strict=True)]
    for i, grid in enumerate(images):
        if grid.end - grid.start != channels * grid.height * grid.width:
            raise ShapeError(
                f"sequence {i} of X must hold {channels} channels of {grid.height} rows and {grid.width} columns, "
                f"{channels * grid.height * grid.width} in all, got {grid.end - grid.start}"
            )
    return images


def check_column(x: Any) -> None:
    if len(x) != 2 or x[1] != 1:
        raise ShapeError(f"X must be [total length, 1], got {list(x)}")
