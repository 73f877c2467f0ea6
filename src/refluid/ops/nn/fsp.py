"""fsp: the FSP matrix between two feature maps, for knowledge distillation."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op(dtypes={"X": FLOATS, "Y": FLOATS})
def fsp(X: Tensor, Y: Tensor) -> Tensor:
    """Out[n, i, j] = the mean over the image of X[n, i] * Y[n, j]."""
    if X.dim() != 4 or Y.dim() != 4 or X.shape[0] != Y.shape[0] or X.shape[2:] != Y.shape[2:]:
        raise ShapeError(f"X and Y must be of one batch and image size, got {list(X.shape)} and {list(Y.shape)}")
    x, y = X.flatten(2), Y.flatten(2)
    return torch.bmm(x, y.transpose(1, 2)) / x.shape[2]
