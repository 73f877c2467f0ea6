"""leaky_relu: a rectifier that lets a little of the negative side through."""

from __future__ import annotations

import torch

from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", dtypes={"X": FLOATS})
def leaky_relu(X: Tensor, *, alpha: float = 0.02) -> Tensor:
    """Out = max(X, alpha * X)."""
    return torch.maximum(X, alpha * X)


@leaky_relu.grad
def leaky_relu_grad(X: Tensor, Out_grad: Tensor, *, alpha: float) -> Tensor:
    return torch.where(X > 0, Out_grad, alpha * Out_grad)
