"""leaky_relu: a rectifier that lets a little of the negative side through."""

from __future__ import annotations

import torch

from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

leaky_relu_backward = aten("leaky_relu_backward")


@op("Out", like="X", dtypes={"X": FLOATS})
def leaky_relu(X: Tensor, *, alpha: float = 0.02) -> Tensor:
    """Out = max(X, alpha * X)."""
    if 0.0 <= alpha <= 1.0:
        return torch.nn.functional.leaky_relu(X, alpha)
    return torch.maximum(X, alpha * X)


@leaky_relu.grad
def leaky_relu_grad(Out: Tensor, Out_grad: Tensor, *, alpha: float) -> Tensor:
    if 0.0 <= alpha <= 1.0:
        return leaky_relu_backward(Out_grad, Out, alpha, True)
    if alpha < 0.0:  # Out has lost the sign of X; Fluid goes by that of Out
        return torch.where(Out > 0, Out_grad, alpha * Out_grad)
    return torch.where(Out > 0, alpha * Out_grad, Out_grad)
