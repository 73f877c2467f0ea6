"""relu and its relatives that clip X at constants: relu6, brelu, thresholded_relu."""

from __future__ import annotations

import torch

from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

threshold_backward = aten("threshold_backward")
hardtanh = aten("hardtanh")
hardtanh_backward = aten("hardtanh_backward")


@op("Out", like="X", dtypes={"X": FLOATS}, fresh=True, grad_hints="use_mkldnn use_cudnn", fuse_alpha="")
def relu(X: Tensor) -> Tensor:
    """Out = max(X, 0)."""
    return torch.relu(X)


relu.over(torch.relu_)
relu.pointwise(lambda code, X: code.relu(X))


@relu.grad
def relu_grad(Out: Tensor, Out_grad: Tensor) -> Tensor:
    return threshold_backward(Out_grad, Out, 0)


relu_grad.pointwise(lambda code, Out, Out_grad: code.relu_slope(Out, Out_grad))


@op("Out", like="X", dtypes={"X": FLOATS}, fuse_alpha="threshold")
def relu6(X: Tensor, *, threshold: float = 6.0) -> Tensor:
    """Out = min(max(X, 0), threshold)."""
    return hardtanh(X, 0.0, threshold)


@relu6.grad
def relu6_grad(Out: Tensor, Out_grad: Tensor, *, threshold: float) -> Tensor:
    return hardtanh_backward(Out_grad, Out, 0.0, threshold)


@op("Out", like="X", dtypes={"X": FLOATS})
def brelu(X: Tensor, *, t_min: float = 0.0, t_max: float = 24.0) -> Tensor:
    """Out = min(max(X, t_min), t_max)."""
    return hardtanh(X, t_min, t_max)


@brelu.grad
def brelu_grad(X: Tensor, Out_grad: Tensor, *, t_min: float, t_max: float) -> Tensor:
    return hardtanh_backward(Out_grad, X, t_min, t_max)


@op("Out", like="X", dtypes={"X": FLOATS})
def thresholded_relu(X: Tensor, *, threshold: float = 1.0) -> Tensor:
    """Out = X where X > threshold, else 0."""
    return torch.threshold(X, threshold, 0.0)


@thresholded_relu.grad
def thresholded_relu_grad(X: Tensor, Out_grad: Tensor, *, threshold: float) -> Tensor:
    return threshold_backward(Out_grad, X, threshold)
