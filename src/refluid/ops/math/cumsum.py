"""cumsum: running sums along an axis."""

from __future__ import annotations

import torch

from refluid.ops.backward_ops import BackwardOp, Call, from_x_to_out, some_attrs
from refluid.ops.math.norm import check_axis
from refluid.ops.registry import NUMBERS, Tensor, op


@op("Out", dtypes={"X": NUMBERS}, late="X")
def cumsum(X: Tensor, *, axis: int = -1, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Out[i] = X[0] + ... + X[i] along `axis`; without X[i] if `exclusive`; from the end if `reverse`."""
    check_axis(X, axis)
    return running_sum(X, axis, exclusive, reverse)


@cumsum.grad
def cumsum_grad(Out_grad: Tensor, *, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    return running_sum(Out_grad, axis, exclusive, not reverse)


@cumsum.gradient_ops
def _reversed(op: Call) -> list[BackwardOp]:
    attrs = some_attrs(op, "axis", "flatten", "exclusive")
    return from_x_to_out(op, "cumsum", {**attrs, "reverse": not op.attrs.get("reverse")})


def running_sum(x: Tensor, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    if reverse:
        x = x.flip(axis)
    out = torch.cumsum(x, axis, dtype=x.dtype)
    if exclusive:
        out = out - x
    return out.flip(axis) if reverse else out
