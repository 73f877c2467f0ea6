"""silu: X times its sigmoid. Models that were saved by Paddle 2 have it for nn.Silu, where Fluid has swish."""

from __future__ import annotations

import torch

from refluid.ops.activation.swish import replayed
from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

aten_silu = aten("silu")
silu_backward = aten("silu_backward")


@op("Out", like="X", dtypes={"X": FLOATS})
def silu(X: Tensor) -> Tensor:
    """Out = X * sigmoid(X)."""
    return aten_silu(X)


@silu.grad
def silu_grad(X: Tensor, Out_grad: Tensor) -> Tensor:
    if not replayed(X, Out_grad):
        return silu_backward(Out_grad, X)
    gate = torch.sigmoid(X)
    return Out_grad * gate * (1 + X * (1 - gate))
