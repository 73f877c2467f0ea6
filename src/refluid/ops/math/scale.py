"""scale: a constant factor and a constant offset; and increment, which adds to a counter."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.backward_ops import BackwardOp, Call, scaled_back
from refluid.ops.pointwise import Code, NoCode, Operand
from refluid.ops.registry import NUMBERS, Tensor, op
from refluid.ops.scalars import number
from refluid.tensor.selected_rows import SelectedRows


@op("Out", like="X", lod="X", dtypes={"X": NUMBERS}, nograd="ScaleTensor")
def scale(
    X: Tensor,
    ScaleTensor: Tensor | None = None,
    *,
    scale: float = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
) -> Tensor:
    """Out = scale * X + bias, or scale * (X + bias). The scale may come as a tensor of one element."""
    if type(X) is SelectedRows:
        return SelectedRows.of(X.index, scaled(X.value, ScaleTensor, scale, bias, bias_after_scale), X.n_rows)
    return scaled(X, ScaleTensor, scale, bias, bias_after_scale)


def scaled(x: Tensor, factor_tensor: Tensor | None, scale: float, bias: float, bias_after_scale: bool) -> Tensor:
    if not x.is_floating_point():
        scale, bias = int(scale), int(bias)  # Fluid: both are rounded towards zero, then applied
    elif factor_tensor is None and bias == 0:
        return torch.mul(x, number(scale, x.dtype))
    elif factor_tensor is None and scale == 1:
        return torch.add(x, number(bias, x.dtype))
    factor: float | Tensor = scale if factor_tensor is None else factor_tensor.to(x.dtype)
    if not bias_after_scale:
        return torch.add(x, bias).mul_(factor)
    return torch.mul(x, factor).add_(bias)


@scale.pointwise
def _(
    code: Code, X: Operand, ScaleTensor: Operand | None, *, scale: float = 1.0, bias: float = 0.0,
    bias_after_scale: bool = True,
) -> Operand:  # fmt: skip
    if ScaleTensor is not None:
        raise NoCode
    if bias == 0:
        return code.times(X, scale)
    if scale == 1:
        return code.plus(X, bias)
    return code.plus(code.times(X, scale), bias) if bias_after_scale else code.times(code.plus(X, bias), scale)


@scale.grad
def scale_grad(ScaleTensor: Tensor | None, Out_grad: Tensor, *, scale: float) -> Tensor:
    return torch.mul(Out_grad, number(scale, Out_grad.dtype) if ScaleTensor is None else ScaleTensor.to(Out_grad.dtype))


@scale_grad.pointwise
def _(code: Code, ScaleTensor: Operand | None, Out_grad: Operand, *, scale: float) -> Operand:
    if ScaleTensor is not None:
        raise NoCode
    return code.times(Out_grad, scale)


@scale.gradient_ops
def _scaled_back(op: Call) -> list[BackwardOp]:
    return [] if op.input("ScaleTensor") else [scaled_back(op, op.input("X")[0], op.attrs["scale"])]


@op("Out", like="X", dtypes={"X": NUMBERS})
def increment(X: Tensor, *, step: float = 1.0) -> Tensor:
    """Out = X + step, for an X of one element."""
    if X.numel() != 1:
        raise ShapeError(f"X must have one element, got shape {list(X.shape)}")
    return torch.add(X, step if X.is_floating_point() else int(step))


@increment.grad
def increment_grad(Out_grad: Tensor) -> Tensor:
    return Out_grad
