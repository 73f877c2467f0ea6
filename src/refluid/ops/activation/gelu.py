"""gelu: X times the normal cumulative distribution function of X."""

from __future__ import annotations

from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

aten_gelu = aten("gelu")
gelu_backward = aten("gelu_backward")


@op("Out", like="X", dtypes={"X": FLOATS}, late="X", grad_hints="use_mkldnn use_cudnn")
def gelu(X: Tensor, *, approximate: bool = False) -> Tensor:
    """Out = X * Phi(X); `approximate` takes the tanh formula for Phi."""
    return aten_gelu(X, approximate="tanh" if approximate else "none")


@gelu.grad
def gelu_grad(X: Tensor, Out_grad: Tensor, *, approximate: bool) -> Tensor:
    return gelu_backward(Out_grad, X, approximate="tanh" if approximate else "none")
