"""fsp: the flow between two feature maps, which distillation compares."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", lod="X", dtypes={"X": FLOATS, "Y": FLOATS})
def fsp(X: Tensor, Y: Tensor) -> Tensor:
    """Out[n, i, j] = the mean of X[n, i] * Y[n, j] over all places; X [N, C1, H, W], Y [N, C2, H, W]."""
    if X.dim() != 4 or Y.dim() != 4 or X.shape[0] != Y.shape[0] or X.shape[2:] != Y.shape[2:]:
        raise ShapeError(f"X and Y must be [N, C1, H, W] and [N, C2, H, W], got {list(X.shape)} and {list(Y.shape)}")
    return torch.bmm(X.flatten(2), Y.flatten(2).transpose(1, 2)) / (X.shape[2] * X.shape[3])
