"""spectral_norm: a weight divided by its largest singular value."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op(dtypes={"Weight": FLOATS, "U": FLOATS, "V": FLOATS}, nograd="U V")
def spectral_norm(
    Weight: Tensor, U: Tensor, V: Tensor, *, dim: int = 0, power_iters: int = 1, eps: float = 1e-12
) -> Tensor:
    """Out = Weight / sigma; sigma is found by `power_iters` rounds of power iteration from U and V.

    Weight is seen as a matrix whose rows are axis `dim`. The gradient takes the singular vectors as given.
    """
    if not 0 <= dim < Weight.dim():
        raise ArgumentError(f"dim must lie in [0, {Weight.dim() - 1}], got {dim}")
    matrix = Weight.movedim(dim, 0).flatten(1)
    if U.numel() != matrix.shape[0] or V.numel() != matrix.shape[1]:
        raise ShapeError(
            f"U and V must have {matrix.shape[0]} and {matrix.shape[1]} numbers, got {U.numel()} and {V.numel()}"
        )
    u, v = U.reshape(-1), V.reshape(-1)
    with torch.no_grad():
        for _ in range(power_iters):
            v = torch.mv(matrix.t(), u)
            v = v / (v.norm() + eps)
            u = torch.mv(matrix, v)
            u = u / (u.norm() + eps)
    sigma = torch.dot(u, torch.mv(matrix, v))
    return Weight / sigma
