"""conv_shift: the circular convolution of rows, as neural Turing machines shift their attention."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op(lod="X", dtypes={"X": FLOATS, "Y": FLOATS})
def conv_shift(X: Tensor, Y: Tensor) -> Tensor:
    """Out[b, j] = the sum over k of X[b, (j + k - n // 2) mod m] * Y[b, k], for X [batch, m] and Y [batch, n]."""
    if X.dim() != 2 or Y.dim() != 2 or X.shape[0] != Y.shape[0]:
        raise ShapeError(f"X and Y must be [batch, width], got {list(X.shape)} and {list(Y.shape)}")
    n = Y.shape[1]
    if n % 2 == 0 or n > X.shape[1]:
        raise ShapeError(f"Y must have an odd width of at most {X.shape[1]}, the width of X, got {n}")
    shifted = torch.stack([X.roll(n // 2 - k, 1) for k in range(n)], 2)
    return torch.bmm(shifted, Y.unsqueeze(2)).squeeze(2)
