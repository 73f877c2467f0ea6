"""leaky_relu: a ReLU with a small slope for negative X."""

from __future__ import annotations

import torch

from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

leaky_relu_backward = aten("leaky_relu_backward")


@op("Out", like="X", dtypes={"X": FLOATS}, grad_hints="use_mkldnn", fuse_alpha="alpha")
def leaky_relu(X: Tensor, *, alpha: float = 0.02) -> Tensor:
    """Out = max(X, alpha * X)."""
    if 0.0 <= alpha <= 1.0:
        return torch.nn.functional.leaky_relu(X, alpha)
    return torch.maximum(X, alpha * X)


leaky_relu.onednn(lambda alpha=0.02: ("leaky_relu", [alpha]) if 0 < alpha <= 1 else None)


@leaky_relu.grad
def leaky_relu_grad(Out: Tensor, Out_grad: Tensor, *, alpha: float) -> Tensor:
    if 0.0 <= alpha <= 1.0:
        return leaky_relu_backward(Out_grad, Out, alpha, True)
    if alpha < 0.0:  # the sign of X is not known from Out; Fluid uses the sign of Out
        return torch.where(Out > 0, Out_grad, alpha * Out_grad)
    return torch.where(Out > 0, alpha * Out_grad, Out_grad)
