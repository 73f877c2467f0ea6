"""conv_shift: the circular convolution of rows, as Neural Turing Machines shift their attention."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", lod="X", dtypes={"X": FLOATS, "Y": FLOATS})
def conv_shift(X: Tensor, Y: Tensor) -> Tensor:
    """Out[b, i] = sum over j of X[b, (i + j - (N - 1) / 2) mod M] * Y[b, j]; X [B, M], Y [B, N], N odd."""
    if X.dim() != 2 or Y.dim() != 2 or X.shape[0] != Y.shape[0]:
        raise ShapeError(f"X and Y must be [B, M] and [B, N], got {list(X.shape)} and {list(Y.shape)}")
    columns, taps = X.shape[1], Y.shape[1]
    if taps % 2 == 0 or taps > columns:
        raise ShapeError(f"Y must have an odd number of columns, at most the {columns} of X, got {taps}")
    shift = torch.arange(taps, device=X.device) - taps // 2
    index = (torch.arange(columns, device=X.device).unsqueeze(1) + shift) % columns
    return torch.einsum("bij,bj->bi", X[:, index], Y)
