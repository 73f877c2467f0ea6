"""The elementwise_* operators: arithmetic of two tensors with Fluid's broadcasting (broadcasting.py)."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.ops.math.broadcasting import apply, infer_broadcast, unbroadcast
from refluid.ops.pointwise import Code, Operand
from refluid.ops.registry import INTS, NUMBERS, OpDef, Shape, Tensor, op
from refluid.tensor.selected_rows import SelectedRows

Grads = tuple[Tensor | None, Tensor | None]
Operands = tuple[Operand | None, Operand | None]
_HINTS = "use_mkldnn x_data_format y_data_format"


def elementwise(
    name: str,
    function: Callable[[Tensor, Tensor], Tensor],
    dtypes: frozenset = NUMBERS,
    nograd: str = "",
    late: str = "",
) -> OpDef:
    def kernel(X: Tensor, Y: Tensor, *, axis: int = -1) -> Tensor:
        if axis == -1 and X.dtype is Y.dtype:
            try:
                return function(X, Y)
            except RuntimeError:
                pass  # told below
        return apply(function, X, Y, axis)

    definition = op(
        "Out", type=name, lod="X", dtypes={"X": dtypes, "Y": dtypes}, nograd=nograd, fresh=True, late=late,
        grad_hints=_HINTS,
    )(kernel)  # fmt: skip
    definition.infer(infer_broadcast)
    return definition


def _divide(X: Tensor, Y: Tensor) -> Tensor:
    return torch.div(X, Y) if X.is_floating_point() else torch.div(X, Y, rounding_mode="trunc")


def _modulo(X: Tensor, Y: Tensor) -> Tensor:
    # Fluid: the remainder of floats has the sign of Y, that of integers the sign of X.
    return torch.remainder(X, Y) if X.is_floating_point() else torch.fmod(X, Y)


elementwise_add = elementwise("elementwise_add", torch.add)
elementwise_sub = elementwise("elementwise_sub", torch.sub)
elementwise_div = elementwise("elementwise_div", _divide)
elementwise_max = elementwise("elementwise_max", torch.maximum)
elementwise_min = elementwise("elementwise_min", torch.minimum)
elementwise_pow = elementwise("elementwise_pow", torch.pow)
elementwise_mod = elementwise("elementwise_mod", _modulo, nograd="*")
elementwise_floordiv = elementwise(
    "elementwise_floordiv",
    lambda X, Y: torch.div(X, Y, rounding_mode="trunc"),
    dtypes=INTS,
    nograd="*",
    late="X Y",
)


@op("Out", lod="X", dtypes={"X": NUMBERS, "Y": NUMBERS}, fresh=True, grad_hints=_HINTS)
def elementwise_mul(X: Tensor, Y: Tensor, *, axis: int = -1) -> Tensor:
    """Out = X * Y. X may be SelectedRows, which clipping by the global norm scales by a Y of one element."""
    if type(X) is SelectedRows:
        return SelectedRows.of(X.index, apply(torch.mul, X.value, Y, axis), X.n_rows)
    if axis == -1 and X.dtype is Y.dtype:
        try:
            return torch.mul(X, Y)
        except RuntimeError:
            pass  # told below
    return apply(torch.mul, X, Y, axis)


elementwise_mul.infer(infer_broadcast)

elementwise_add.pointwise(lambda code, X, Y, *, axis=-1: code.add(X, Y))
elementwise_sub.pointwise(lambda code, X, Y, *, axis=-1: code.subtract(X, Y))
elementwise_mul.pointwise(lambda code, X, Y, *, axis=-1: code.multiply(X, Y))


@elementwise_add.grad
def elementwise_add_grad(X: Shape, Y: Shape, Out_grad: Tensor, *, needs: tuple[bool, ...], axis: int) -> Grads:
    if X == Y:
        return Out_grad, Out_grad
    return (
        unbroadcast(Out_grad, X, axis) if needs[0] else None,
        unbroadcast(Out_grad, Y, axis) if needs[1] else None,
    )


elementwise_add_grad.pointwise(lambda code, X, Y, Out_grad, *, needs, axis: (Out_grad, Out_grad))


@elementwise_sub.grad
def elementwise_sub_grad(X: Shape, Y: Shape, Out_grad: Tensor, *, needs: tuple[bool, ...], axis: int) -> Grads:
    return (
        unbroadcast(Out_grad, X, axis) if needs[0] else None,
        unbroadcast(Out_grad, Y, axis).neg() if needs[1] else None,
    )


@elementwise_sub_grad.pointwise
def _(code: Code, X: Operand, Y: Operand, Out_grad: Operand, *, needs: tuple[bool, ...], axis: int) -> Operands:
    return Out_grad if needs[0] else None, code.times(Out_grad, -1.0) if needs[1] else None


@elementwise_mul.grad
def elementwise_mul_grad(X: Tensor, Y: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...], axis: int) -> Grads:
    if X.shape == Y.shape:
        return torch.mul(Out_grad, Y) if needs[0] else None, torch.mul(Out_grad, X) if needs[1] else None
    return (
        unbroadcast(apply(torch.mul, Out_grad, Y, axis), X.shape, axis) if needs[0] else None,
        unbroadcast(apply(torch.mul, Out_grad, X, axis), Y.shape, axis) if needs[1] else None,
    )


@elementwise_mul_grad.pointwise
def _(code: Code, X: Operand, Y: Operand, Out_grad: Operand, *, needs: tuple[bool, ...], axis: int) -> Operands:
    return code.multiply(Out_grad, Y) if needs[0] else None, code.multiply(Out_grad, X) if needs[1] else None


@elementwise_div.grad
def elementwise_div_grad(
    X: Shape, Y: Tensor, Out: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...], axis: int
) -> Grads:
    quotient = apply(torch.div, Out_grad, Y, axis)
    return (
        unbroadcast(quotient, X, axis) if needs[0] else None,
        unbroadcast(quotient * Out, Y.shape, axis).neg() if needs[1] else None,
    )


def _route(definition: OpDef, x_wins: Callable[[Tensor, Tensor], Tensor]) -> None:
    """Gradient of max and min: it goes to the input that an element came from; to Y if both are equal, as in Fluid."""

    def grad(X: Tensor, Y: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...], axis: int) -> Grads:
        from_x = apply(x_wins, X, Y, axis)
        return (
            unbroadcast(torch.where(from_x, Out_grad, 0.0), X.shape, axis) if needs[0] else None,
            unbroadcast(torch.where(from_x, 0.0, Out_grad), Y.shape, axis) if needs[1] else None,
        )

    definition.grad(grad)


_route(elementwise_max, torch.gt)
_route(elementwise_min, torch.lt)
