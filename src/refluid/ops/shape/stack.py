"""stack, unstack, unbind: tensors stacked along a new axis, and unstacked."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.backward_ops import BackwardOp, Call
from refluid.ops.registry import LoD, Shape, Tensor, op
from refluid.ops.rows import unless_first
from refluid.ops.shape.alike import check_one_dtype
from refluid.ops.shape.sizes import axis_of


@op("Y", keeps_rows=unless_first("axis"))
def stack(X: list[Tensor], *, axis: int = 0) -> Tensor:
    """Y[.., i, ..] = X[i], where i counts along axis of Y."""
    axis = axis_of(axis, X[0].dim() + 1)
    check_one_dtype(X)
    try:
        return torch.stack(X, axis)
    except RuntimeError:
        for i, x in enumerate(X):
            if x.shape != X[0].shape:
                raise ShapeError(f"X[{i}] has shape {list(x.shape)}, but X[0] has shape {list(X[0].shape)}") from None
        raise


@stack.grad
def stack_grad(Y_grad: Tensor, *, axis: int) -> list[Tensor]:
    return list(Y_grad.unbind(axis))


@stack.lods
def _stack_lod(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    rows_stay = attrs["axis"] % (values[0][0].dim() + 1)
    return [next((lod for lod in ins[0] if lod is not None), None) if rows_stay else None]


def _unstacked(X: Tensor, axis: int) -> list[Tensor]:
    pieces = X.unbind(axis_of(axis, X.dim()))
    # There are no tensors without axes: the pieces of a vector have shape [1].
    return list(pieces) if X.dim() > 1 else [piece.reshape(1) for piece in pieces]


def _stacked(pieces: list[Tensor], axis: int, out_dim: int) -> Tensor:
    return torch.stack(pieces, axis) if out_dim > 1 else torch.cat(pieces)


@op("Y", duplicable="Y", lod=None, views="X")
def unstack(X: Tensor, *, axis: int = 0, num: int) -> list[Tensor]:
    """Y[i] = X[.., i, ..], where i counts along axis; num is the size of that axis."""
    pieces = _unstacked(X, axis)
    if len(pieces) != num:
        raise ShapeError(f"axis {axis} of X has size {len(pieces)}, but num is {num}")
    return pieces


@unstack.grad
def unstack_grad(X: Shape, Y_grad: list[Tensor], *, axis: int) -> Tensor:
    return _stacked(Y_grad, axis, len(X))


@op("Out", duplicable="Out", keeps_rows=unless_first("axis"), views="X")
def unbind(X: Tensor, *, axis: int = 0) -> list[Tensor]:
    """Out[i] = X[.., i, ..], where i counts along axis."""
    return _unstacked(X, axis)


@unbind.grad
def unbind_grad(X: Shape, Out_grad: list[Tensor], *, axis: int) -> Tensor:
    return _stacked(Out_grad, axis, len(X))


@unbind.gradient_ops
def _stacked_back(op: Call) -> list[BackwardOp]:
    x = op.block.find_var(op.input("X")[0])
    if x is None or len(x.shape) < 2:
        return []  # the pieces of a vector have shape [1], which `stack` would make a matrix of
    return [BackwardOp("stack", {"X": op.output("Out")}, {"Y": op.input("X")}, {"axis": op.attrs["axis"]})]


@unbind.lods
def _unbind_lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return [ins[0] if attrs["axis"] % values[0].dim() else None]
