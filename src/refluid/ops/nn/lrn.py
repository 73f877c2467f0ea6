"""lrn: local response normalisation across neighbouring channels."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.nn.geometry import check_rank, is_channels_last
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out MidOut", dtypes={"X": FLOATS}, nograd="MidOut", naming="MidOut Out", grad_hints="use_mkldnn is_test")
def lrn(
    X: Tensor,
    *,
    n: int = 5,
    k: float = 2.0,
    alpha: float = 1e-4,
    beta: float = 0.75,
    data_format: str = "AnyLayout",
) -> tuple[Tensor, Tensor]:
    """Out = X / MidOut ** beta, MidOut = k + alpha * the sum of X ** 2 over the n channels around each."""
    check_rank("X", X, 4)
    if n < 1 or n % 2 == 0:
        raise ArgumentError(f"n must be positive and odd, got {n}")
    return _normalised(X, n, k, alpha, beta, data_format)


@lrn.grad(once=True)
def lrn_grad(
    X: Tensor,
    Out: Tensor,
    MidOut: Tensor,
    Out_grad: Tensor,
    *,
    n: int,
    k: float,
    alpha: float,
    beta: float,
    data_format: str,
) -> Tensor:
    if torch.is_grad_enabled() and X.requires_grad:  # in a gradient of a gradient they are functions of X
        Out, MidOut = _normalised(X, n, k, alpha, beta, data_format)
    shared = _around(Out_grad * Out / MidOut, n, _axis(data_format))
    return Out_grad * MidOut.pow(-beta) - X * shared * (2.0 * alpha * beta)


def _normalised(x: Tensor, n: int, k: float, alpha: float, beta: float, data_format: str) -> tuple[Tensor, Tensor]:
    mid = _around(x * x, n, _axis(data_format)) * alpha + k
    return x * mid.pow(-beta), mid


def _axis(data_format: str) -> int:
    return 3 if is_channels_last(data_format) else 1


def _around(t: Tensor, n: int, axis: int) -> Tensor:
    """The sum over the n channels around each channel."""
    half, count = n // 2, t.shape[axis]
    pad = [0, 0] * (t.dim() - 1 - axis) + [half, half]
    padded = torch.nn.functional.pad(t, pad)
    total = padded.narrow(axis, 0, count)
    for i in range(1, n):
        total = total + padded.narrow(axis, i, count)
    return total
