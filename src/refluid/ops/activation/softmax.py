"""softmax along one axis, and its logarithm."""

from __future__ import annotations

import math
from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.registry import FLOATS, Tensor, op

LOWEST_EXPONENT = -64.0
_LOWEST = math.exp(LOWEST_EXPONENT)


@op("Out", dtypes={"X": FLOATS}, grad_hints="use_mkldnn use_cudnn is_test data_format")
def softmax(X: Tensor, *, axis: int = -1) -> Tensor:
    """Out = exp(X) / sum(exp(X)) along `axis`, where on CPUs X is at least its maximum - 64."""
    try:
        return bounded(torch.softmax(X, axis), axis)
    except IndexError:
        raise wrong_axis(X, axis) from None


def bounded(softmax: Tensor, axis: int) -> Tensor:
    """The softmax, in place, at least e^-64 times its maximum along `axis`.

    Fluid's CPU kernels compute exp(max(x - maximum, -64)), so that the logarithm of a softmax is finite; CUDA's do not.
    Its gradients are those without the bound, so a replay does without it.
    """
    if not has_bound(softmax) or torch.amin(softmax).item() >= _LOWEST:
        return softmax  # a bound is e^-64 / sum, and the sum at least 1
    return torch.maximum(softmax, softmax.amax(axis, keepdim=True).mul_(_LOWEST), out=softmax)


def has_bound(result: Tensor) -> bool:
    return result.is_cpu and result.numel() > 0 and not result.requires_grad


@softmax.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Any] | None:
    return list(inputs) if -len(inputs[0].shape) <= attrs["axis"] < len(inputs[0].shape) else None


@softmax.grad
def softmax_grad(Out: Tensor, Out_grad: Tensor, *, axis: int) -> Tensor:
    return torch._softmax_backward_data(Out_grad, Out, axis, Out.dtype)


@op("Out", dtypes={"X": FLOATS})
def log_softmax(X: Tensor, *, axis: int = -1) -> Tensor:
    """Out = X - log(sum(exp(X))) along `axis`."""
    try:
        return torch.log_softmax(X, axis)
    except IndexError:
        raise wrong_axis(X, axis) from None


@log_softmax.grad
def log_softmax_grad(Out: Tensor, Out_grad: Tensor, *, axis: int) -> Tensor:
    return torch._log_softmax_backward_data(Out_grad, Out, axis, Out.dtype)


def wrong_axis(X: Tensor, axis: int) -> ArgumentError:
    return ArgumentError(f"axis must be in [{-X.dim()}, {X.dim() - 1}] for X of rank {X.dim()}, got {axis}")
