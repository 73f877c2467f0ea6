"""The S-shaped activations: sigmoid, logsigmoid, tanh, stanh, softsign, hard_sigmoid."""

from __future__ import annotations

import torch

from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

sigmoid_backward = aten("sigmoid_backward")
tanh_backward = aten("tanh_backward")
hardtanh_ = aten("hardtanh_")
hardtanh_backward = aten("hardtanh_backward")


@op("Out", like="X", dtypes={"X": FLOATS}, grad_hints="use_mkldnn use_cudnn", fuse_alpha="")
def sigmoid(X: Tensor) -> Tensor:
    """Out = 1 / (1 + exp(-X))."""
    return torch.sigmoid(X)


sigmoid.over(torch.sigmoid_)
sigmoid.onednn(lambda: ("sigmoid", []))
sigmoid.pointwise(lambda code, X: code.sigmoid(X))


@sigmoid.grad
def sigmoid_grad(Out: Tensor, Out_grad: Tensor) -> Tensor:
    return sigmoid_backward(Out_grad, Out)


sigmoid_grad.pointwise(lambda code, Out, Out_grad: code.sigmoid_slope(Out, Out_grad))


@op("Out", like="X", dtypes={"X": FLOATS}, grad_hints="use_mkldnn use_cudnn")
def logsigmoid(X: Tensor) -> Tensor:
    """Out = log(sigmoid(X))."""
    return torch.nn.functional.logsigmoid(X)


@logsigmoid.grad
def logsigmoid_grad(X: Tensor, Out_grad: Tensor) -> Tensor:
    return Out_grad * torch.sigmoid(-X)


@op("Out", like="X", dtypes={"X": FLOATS}, grad_hints="use_mkldnn use_cudnn", fuse_alpha="")
def tanh(X: Tensor) -> Tensor:
    """Out = tanh(X)."""
    return torch.tanh(X)


tanh.over(torch.tanh_)
tanh.onednn(lambda: ("tanh", []))
tanh.pointwise(lambda code, X: code.tanh(X))


@tanh.grad
def tanh_grad(Out: Tensor, Out_grad: Tensor) -> Tensor:
    return tanh_backward(Out_grad, Out)


tanh_grad.pointwise(lambda code, Out, Out_grad: code.tanh_slope(Out, Out_grad))


@op("Out", like="X", dtypes={"X": FLOATS})
def stanh(X: Tensor, *, scale_a: float = 0.67, scale_b: float = 1.7159) -> Tensor:
    """Out = scale_b * tanh(scale_a * X)."""
    return torch.tanh(scale_a * X) * scale_b


@stanh.grad
def stanh_grad(X: Tensor, Out_grad: Tensor, *, scale_a: float, scale_b: float) -> Tensor:
    return tanh_backward(Out_grad * (scale_a * scale_b), torch.tanh(scale_a * X))


@op("Out", like="X", dtypes={"X": FLOATS}, grad_hints="use_mkldnn use_cudnn")
def softsign(X: Tensor) -> Tensor:
    """Out = X / (1 + |X|)."""
    return X / (X.abs() + 1)


@softsign.grad
def softsign_grad(X: Tensor, Out_grad: Tensor) -> Tensor:
    return Out_grad / (X.abs() + 1).square()


@op("Out", like="X", dtypes={"X": FLOATS})
def hard_sigmoid(X: Tensor, *, slope: float = 0.2, offset: float = 0.5) -> Tensor:
    """Out = min(max(slope * X + offset, 0), 1)."""
    return hardtanh_((X * slope).add_(offset), 0.0, 1.0)


@hard_sigmoid.grad
def hard_sigmoid_grad(Out: Tensor, Out_grad: Tensor, *, slope: float) -> Tensor:
    return hardtanh_backward(Out_grad * slope, Out, 0.0, 1.0)
