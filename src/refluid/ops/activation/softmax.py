"""softmax along one axis."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op

aten_softmax = aten("_softmax")
softmax_backward = aten("_softmax_backward_data")


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
