"""bilinear_tensor_product: one bilinear form of X and Y per output column."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", lod="X", dtypes={"X": FLOATS, "Y": FLOATS, "Weight": FLOATS}, late="Y")
def bilinear_tensor_product(X: Tensor, Y: Tensor, Weight: Tensor, Bias: Tensor | None = None) -> Tensor:
    """Out[n, k] = X[n].Weight[k].Y[n] + Bias[0, k]; X [N, M], Y [N, P], Weight [K, M, P]."""
    if X.dim() != 2 or Y.dim() != 2 or X.shape[0] != Y.shape[0]:
        raise ShapeError(f"X and Y must be [N, M] and [N, P], got {list(X.shape)} and {list(Y.shape)}")
    if Weight.dim() != 3 or Weight.shape[1:] != (X.shape[1], Y.shape[1]):
        raise ShapeError(f"Weight must be [K, {X.shape[1]}, {Y.shape[1]}], got {list(Weight.shape)}")
    if Bias is not None and Bias.numel() != Weight.shape[0]:
        raise ShapeError(f"Bias must be [1, {Weight.shape[0]}], got {list(Bias.shape)}")
    out = torch.nn.functional.bilinear(X, Y, Weight)
    return out if Bias is None else out + Bias.reshape(1, -1)
