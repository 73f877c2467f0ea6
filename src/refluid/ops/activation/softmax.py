"""softmax along one axis, and its logarithm."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

aten_softmax = aten("_softmax")
softmax_backward = aten("_softmax_backward_data")
aten_log_softmax = aten("_log_softmax")
log_softmax_backward = aten("_log_softmax_backward_data")


@op("Out", dtypes={"X": FLOATS})
def softmax(X: Tensor, *, axis: int = -1) -> Tensor:
    """Out = exp(X) / sum(exp(X)) along `axis`."""
    try:
        return aten_softmax(X, axis, False)
    except IndexError:
        raise ArgumentError(
            f"axis must be in [{-X.dim()}, {X.dim() - 1}] for X of rank {X.dim()}, got {axis}"
        ) from None


@softmax.grad
def softmax_grad(Out: Tensor, Out_grad: Tensor, *, axis: int) -> Tensor:
    return softmax_backward(Out_grad, Out, axis, Out.dtype)


@op("Out", dtypes={"X": FLOATS})
def log_softmax(X: Tensor, *, axis: int = -1) -> Tensor:
    """Out = X - log(sum(exp(X))) along `axis`."""
    try:
        return aten_log_softmax(X, axis, False)
    except IndexError:
        raise wrong_axis(X, axis) from None


@log_softmax.grad
def log_softmax_grad(Out: Tensor, Out_grad: Tensor, *, axis: int) -> Tensor:
    return log_softmax_backward(Out_grad, Out, axis, Out.dtype)


def wrong_axis(X: Tensor, axis: int) -> ArgumentError:
    return ArgumentError(f"axis must be in [{-X.dim()}, {X.dim() - 1}] for X of rank {X.dim()}, got {axis}")
