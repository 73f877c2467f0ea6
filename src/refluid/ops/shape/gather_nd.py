"""gather_nd, scatter_nd_add: slices read from and added to multi-dimensional indices."""

from __future__ import annotations

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.registry import INDICES, Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes


def _check(shape: Sizes, Index: Tensor) -> None:
    if Index.dim() < 2:
        raise ShapeError(f"Index must have at least 2 axes, got {list(Index.shape)}")
    if Index.shape[-1] > len(shape):
        raise ShapeError(f"the last axis of Index names {Index.shape[-1]} axes of X, but X has {len(shape)}")


def _indices(Index: Tensor) -> tuple[Tensor, ...]:
    return Index.long().unbind(-1)


def _out_of_range(shape: Sizes, Index: Tensor) -> ValueRangeError:
    for axis, places in enumerate(_indices(Index)):
        low, high = int(places.min()), int(places.max())
        if low < 0 or high >= shape[axis]:
            return ValueRangeError(
                f"Index along axis {axis} must be in [0, {shape[axis] - 1}], got {low if low < 0 else high}"
            )
    return ValueRangeError("Index is out of range")


@op("Out", dtypes={"Index": INDICES}, lod=None, late="Index", views="X")
def gather_nd(X: Tensor, Index: Tensor) -> Tensor:
    """Out[i..] = X[Index[i.., 0], Index[i.., 1], ..]."""
    _check(X.shape, Index)
    if Index.shape[-1] == 0:
        return X.expand(*Index.shape[:-1], *X.shape)
    try:
        return X[_indices(Index)]
    except IndexError:
        raise _out_of_range(X.shape, Index) from None


@gather_nd.grad
def gather_nd_grad(X: Shape, Index: Tensor, Out_grad: Tensor) -> Tensor:
    if Index.shape[-1] == 0:
        return Out_grad.reshape(-1, *X).sum(0)
    return Out_grad.new_zeros(X).index_put_(_indices(Index), Out_grad, accumulate=True)


@op("Out", dtypes={"Index": INDICES}, lod=None, late="Index")
def scatter_nd_add(X: Tensor, Index: Tensor, Updates: Tensor) -> Tensor:
    """Out is X with Updates[i..] added to Out[Index[i.., 0], Index[i.., 1], ..]; repeated indices add up."""
    _check(X.shape, Index)
    expected = (*Index.shape[:-1], *X.shape[Index.shape[-1] :])
    if tuple(Updates.shape) != expected:
        raise ShapeError(f"Updates must have shape {list(expected)}, got {list(Updates.shape)}")
    if Index.shape[-1] == 0:
        return X + Updates.reshape(-1, *X.shape).sum(0)
    try:
        return X.index_put(_indices(Index), Updates, accumulate=True)
    except IndexError:
        raise _out_of_range(X.shape, Index) from None


@scatter_nd_add.grad
def scatter_nd_add_grad(Index: Tensor, Updates: Shape, Out_grad: Tensor) -> tuple[Tensor, Tensor]:
    if Index.shape[-1] == 0:
        return Out_grad, Out_grad.expand(*Index.shape[:-1], *Out_grad.shape)
    return Out_grad, Out_grad[_indices(Index)]
