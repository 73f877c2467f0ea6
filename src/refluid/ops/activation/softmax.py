"""softmax along one axis, and its logarithm."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", dtypes={"X": FLOATS})
def softmax(X: Tensor, *, axis: int = -1) -> Tensor:
    """Out = exp(X) / sum(exp(X)) along `axis`."""
    try:
        return torch.softmax(X, axis)
    except IndexError:
        raise wrong_axis(X, axis) from None


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
