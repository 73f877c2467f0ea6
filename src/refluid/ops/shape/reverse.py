"""reverse, flip, roll: axes reversed and shifted."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.ops.backward_ops import BackwardOp, Call, from_x_to_out, some_attrs
from refluid.ops.registry import Long, Shape, Tensor, op
from refluid.ops.shape.sizes import axis_of


@op("Out", lod=None)
def reverse(X: Tensor, *, axis: list[int]) -> Tensor:
    """Out is X backwards along every axis named."""
    return X.flip(_distinct(axis, X.dim()))


@reverse.grad
def reverse_grad(Out_grad: Tensor, *, axis: list[int]) -> Tensor:
    return Out_grad.flip(_distinct(axis, Out_grad.dim()))


def _distinct(axes: list[int], rank: int) -> list[int]:
    """The axes to reverse: one that is named twice is reversed once."""
    return list({axis_of(a, rank) for a in axes})


@op("Out")
def flip(X: Tensor, *, dims: list[int]) -> Tensor:
    """Out is X backwards along every axis named."""
    return X.flip([axis_of(a, X.dim(), "dims") for a in dims])


@flip.grad
def flip_grad(Out_grad: Tensor, *, dims: list[int]) -> Tensor:
    return Out_grad.flip(dims)


@reverse.gradient_ops
@flip.gradient_ops
def _reversed_back(op: Call) -> list[BackwardOp]:
    return from_x_to_out(op, op.type, some_attrs(op, "axis", "dims"))


@op("Out", lod=None)
def roll(X: Tensor, *, shifts: list[Long] = [], dims: list[Long] = []) -> Tensor:
    """Out is X shifted by shifts[i] along axis dims[i]; circularly."""
    if len(shifts) != len(dims):
        raise ArgumentError(f"shifts and dims must have the same length, got {list(shifts)} and {list(dims)}")
    return X.roll(shifts, [axis_of(a, X.dim(), "dims") for a in dims])


@roll.grad
def roll_grad(X: Shape, Out_grad: Tensor, *, shifts: list[Long], dims: list[Long]) -> Tensor:
    return Out_grad.roll([-n for n in shifts], dims)
