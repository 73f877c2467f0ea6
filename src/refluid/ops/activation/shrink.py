"""The activations that are zero around zero: softshrink, hard_shrink, tanh_shrink."""

from __future__ import annotations

import torch

from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

softshrink_backward = aten("softshrink_backward")
hardshrink_backward = aten("hardshrink_backward")


@op("Out", like="X", dtypes={"X": FLOATS}, rename={"lambda_": "lambda"})
def softshrink(X: Tensor, *, lambda_: float = 0.5) -> Tensor:
    """Out = X moved towards zero by lambda, and 0 where |X| <= lambda."""
    if lambda_ < 0:  # near zero both sides count
        return (X - lambda_) * (lambda_ < X) + (X + lambda_) * (-lambda_ > X)
    return torch.nn.functional.softshrink(X, lambda_)


@softshrink.grad
def softshrink_grad(X: Tensor, Out_grad: Tensor, *, lambda_: float) -> Tensor:
    return Out_grad * _sides(X, lambda_) if lambda_ < 0 else softshrink_backward(Out_grad, X, lambda_)


@op("Out", like="X", dtypes={"X": FLOATS})
def hard_shrink(X: Tensor, *, threshold: float = 0.5) -> Tensor:
    """Out = X where |X| > threshold, else 0."""
    return X * _sides(X, threshold) if threshold < 0 else torch.hardshrink(X, lambd=threshold)


@hard_shrink.grad
def hard_shrink_grad(X: Tensor, Out_grad: Tensor, *, threshold: float) -> Tensor:
    return Out_grad * _sides(X, threshold) if threshold < 0 else hardshrink_backward(Out_grad, X, threshold)


def _sides(X: Tensor, bound: float) -> Tensor:
    """How many sides of the flat part X is on: with a negative bound two, near zero."""
    return (bound < X).to(X.dtype) + (-bound > X).to(X.dtype)


@op("Out", like="X", dtypes={"X": FLOATS}, grad_hints="use_mkldnn use_cudnn")
def tanh_shrink(X: Tensor) -> Tensor:
    """Out = X - tanh(X)."""
    return X - torch.tanh(X)


@tanh_shrink.grad
def tanh_shrink_grad(X: Tensor, Out_grad: Tensor) -> Tensor:
    return Out_grad * torch.tanh(X).square()
