"""The smooth ReLUs softplus and soft_relu."""

from __future__ import annotations

import torch

from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

softplus_backward = aten("softplus_backward")


@op("Out", like="X", dtypes={"X": FLOATS}, grad_hints="use_mkldnn use_cudnn")
def softplus(X: Tensor) -> Tensor:
    """Out = log(1 + exp(X))."""
    return torch.nn.functional.softplus(X)


@softplus.grad
def softplus_grad(X: Tensor, Out_grad: Tensor) -> Tensor:
    return softplus_backward(Out_grad, X, 1.0, 20.0)


@op("Out", like="X", dtypes={"X": FLOATS})
def soft_relu(X: Tensor, *, threshold: float = 40.0) -> Tensor:
    """Out = log(1 + exp(X)), with X clipped to [-threshold, threshold]."""
    return torch.log1p(torch.exp(torch.clamp(X, -threshold, threshold)))


@soft_relu.grad
def soft_relu_grad(Out: Tensor, Out_grad: Tensor, *, threshold: float) -> Tensor:
    # Fluid: the clipping is decided by Out, so on the far negative side the gradient is that of exp(-threshold), not 0.
    return torch.where(Out < threshold, -torch.expm1(-Out) * Out_grad, 0.0)
