"""inverse and cholesky of every matrix of a batch."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, Tensor, op


@op("Output", lod=None, dtypes={"Input": FLOATS})
def inverse(Input: Tensor) -> Tensor:
    """Output = the inverse of every matrix in the last two axes."""
    check_square("Input", Input)
    try:
        return torch.linalg.inv(Input)
    except torch.linalg.LinAlgError:
        raise ValueRangeError("Input holds a singular matrix, which has no inverse") from None


@inverse.grad
def inverse_grad(Output: Tensor, Output_grad: Tensor) -> Tensor:
    transposed = Output.transpose(-1, -2)
    return -(transposed @ Output_grad @ transposed)


@op("Out", lod=None, dtypes={"X": FLOATS})
def cholesky(X: Tensor, *, upper: bool = False) -> Tensor:
    """Out = L with L.L^T = X (or U with U^T.U = X) for symmetric, positive definite matrices."""
    check_square("X", X)
    try:
        return torch.linalg.cholesky(X, upper=upper)
    except torch.linalg.LinAlgError:
        raise ValueRangeError("X holds a matrix that is not positive definite") from None


def check_square(name: str, x: Tensor) -> None:
    if x.dim() < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"{name} must hold square matrices, got shape {list(x.shape)}")


@inverse.infer
@cholesky.infer
def infer_square(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
    """One of the two sizes may be unknown, and so may both."""
    (x,) = inputs
    return [x] if len(x.shape) >= 2 and -1 in x.shape[-2:] else None
