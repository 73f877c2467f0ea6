"""The exponential linear units elu and selu."""

from __future__ import annotations

import torch

from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

aten_elu = aten("elu")
elu_backward = aten("elu_backward")


@op("Out", like="X", dtypes={"X": FLOATS})
def elu(X: Tensor, *, alpha: float = 1.0) -> Tensor:
    """Out = max(X, 0) + min(alpha * (exp(X) - 1), 0)."""
    if alpha < 0:  # both count where X > 0, and neither below
        return X.clamp_min(0) + (alpha * torch.expm1(X)).clamp_max(0)
    return aten_elu(X, alpha)


@elu.grad
def elu_grad(X: Tensor, Out_grad: Tensor, *, alpha: float) -> Tensor:
    return elu_backward(Out_grad, alpha, 1.0, 1.0, False, X)


@op("Out", like="X", dtypes={"X": FLOATS})
def selu(X: Tensor, *, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772) -> Tensor:
    """Out = scale * elu(X, alpha)."""
    return aten_elu(X, alpha, scale)


@selu.grad
def selu_grad(Out: Tensor, Out_grad: Tensor, *, scale: float, alpha: float) -> Tensor:
    return elu_backward(Out_grad, alpha, scale, 1.0, True, Out)
