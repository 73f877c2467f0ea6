"""tril_triu: the lower or upper triangle of matrices."""

from __future__ import annotations

from refluid.core.errors import ShapeError
from refluid.ops.registry import Tensor, op


@op("Out", lod=None)
def tril_triu(X: Tensor, *, diagonal: int = 0, lower: bool) -> Tensor:
    """Out keeps what is on and below (lower) or above the diagonal of every matrix of X, and is 0 elsewhere."""
    if X.dim() < 2:
        raise ShapeError(f"X must have at least 2 axes, got shape {list(X.shape)}")
    return X.tril(diagonal) if lower else X.triu(diagonal)


@tril_triu.grad
def tril_triu_grad(Out_grad: Tensor, *, diagonal: int, lower: bool) -> Tensor:
    return Out_grad.tril(diagonal) if lower else Out_grad.triu(diagonal)
