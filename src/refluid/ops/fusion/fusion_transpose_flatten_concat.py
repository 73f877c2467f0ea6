"""fusion_transpose_flatten_concat: the heads of a detector, each transposed and flattened, in one matrix."""

from __future__ import annotations

import math

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import Tensor, op


@op("Out", lod=None, nograd="*")
def fusion_transpose_flatten_concat(
    X: list[Tensor], *, trans_axis: list[int], flatten_axis: int, concat_axis: int
) -> Tensor:
    """Every X with its axes in the order trans_axis, as a matrix: the axes before flatten_axis are rows; joined."""
    for number, x in enumerate(X):
        if x.dim() != len(trans_axis):
            raise ShapeError(f"trans_axis {trans_axis} does not order the axes of X[{number}], got {list(x.shape)}")
    moved = [x.permute(trans_axis) for x in X]
    return torch.cat([x.reshape(math.prod(x.shape[:flatten_axis]), -1) for x in moved], concat_axis)
