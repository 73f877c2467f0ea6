"""The activations that gate X by a sigmoid of itself: swish, hard_swish, mish."""

from __future__ import annotations

import torch

from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

silu = aten("silu")
silu_backward = aten("silu_backward")
hardswish = aten("hardswish")
hardswish_backward = aten("hardswish_backward")
aten_mish = aten("mish")
mish_backward = aten("mish_backward")


@op("Out", like="X", dtypes={"X": FLOATS}, grad_hints="use_mkldnn", fuse_alpha="beta")
def swish(X: Tensor, *, beta: float = 1.0) -> Tensor:
    """Out = X * sigmoid(beta * X)."""
    return silu(X) if beta == 1.0 else X * torch.sigmoid(beta * X)


swish.onednn(lambda beta=1.0: ("swish", []) if beta == 1.0 else None)


@swish.grad
def swish_grad(X: Tensor, Out_grad: Tensor, *, beta: float) -> Tensor:
    if beta == 1.0 and not replayed(X, Out_grad):
        return silu_backward(Out_grad, X)
    gate = torch.sigmoid(beta * X)
    return Out_grad * gate * (1 + beta * X * (1 - gate))


@op("Out", like="X", dtypes={"X": FLOATS})
def hard_swish(X: Tensor, *, threshold: float = 6.0, scale: float = 6.0, offset: float = 3.0) -> Tensor:
    """Out = X * min(max(X + offset, 0), threshold) / scale."""
    if (threshold, scale, offset) == (6.0, 6.0, 3.0):
        return hardswish(X)
    return X * torch.clamp(X + offset, 0.0, threshold) / scale


@hard_swish.onednn
def _hard_swish_of_onednn(
    threshold: float = 6.0, scale: float = 6.0, offset: float = 3.0
) -> tuple[str, list[float]] | None:
    return ("hardswish", []) if (threshold, scale, offset) == (6.0, 6.0, 3.0) else None


@hard_swish.grad
def hard_swish_grad(X: Tensor, Out_grad: Tensor, *, threshold: float, scale: float, offset: float) -> Tensor:
    if (threshold, scale, offset) == (6.0, 6.0, 3.0):
        return hardswish_backward(Out_grad, X)
    shifted = X + offset
    inside = (shifted > 0) & (shifted < threshold)
    return Out_grad * (torch.clamp(shifted, 0.0, threshold) + torch.where(inside, X, 0.0)) / scale


@op("Out", like="X", dtypes={"X": FLOATS})
def mish(X: Tensor, *, threshold: float = 20.0) -> Tensor:
    """Out = X * tanh(softplus(X)), where softplus(X) is X above `threshold` and exp(X) below its negative."""
    return aten_mish(X) if threshold == 20.0 else X * torch.tanh(clipped_softplus(X, threshold))


@mish.grad
def mish_grad(X: Tensor, Out_grad: Tensor, *, threshold: float) -> Tensor:
    if threshold == 20.0 and not replayed(X, Out_grad):
        return mish_backward(Out_grad, X)
    plus = clipped_softplus(X, threshold)
    gate = torch.tanh(plus)
    # Fluid: the slope of softplus is taken from its value, on all three pieces.
    return Out_grad * (gate - X * (1 - gate.square()) * torch.expm1(-plus))


def clipped_softplus(x: Tensor, threshold: float) -> Tensor:
    rising = torch.exp(torch.clamp_max(x, threshold))
    return torch.where(x > threshold, x, torch.where(x < -threshold, rising, torch.log1p(rising)))


def replayed(*tensors: Tensor) -> bool:
    """Whether a gradient of this gradient is being taken: ATen has none for silu_backward and mish_backward."""
    return any(t.requires_grad for t in tensors)
