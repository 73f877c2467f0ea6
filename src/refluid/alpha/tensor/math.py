"""Functions of every element, and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.alpha.common import into
from refluid.core.errors import DtypeError
from refluid.core.naming import LayerName
from refluid.core.types import Dtype, Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import integer, is_variable, number
from refluid.layers.common import dtype_attr
from refluid.layers.mixed import stopped
from refluid.layers.reduce import axes
from refluid.ops.activation import sigmoids
from refluid.ops.math import reduce as reduces, unary as ops
from refluid.ops.math.pow import pow as pow_op
from refluid.ops.math.scale import scale
from refluid.ops.registry import FLOATS, OpDef


def _unary(op: OpDef, what: str) -> Callable:
    def function(x: BaseVariable, name: str | None = None, out: BaseVariable | None = None) -> BaseVariable:
        return op(x, name=name, outs=into(out))

    kind = "float" if op.dtypes.get(0) == FLOATS else "numeric"
    function.__name__ = function.__qualname__ = op.type
    function.__doc__ = f"""{what}

    Args:
        x: a {kind} variable of any shape.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable with the shape of x.
    """
    return function


abs = _unary(ops.abs, "The absolute value of every element.")
acos = _unary(ops.acos, "The arc cosine of every element.")
asin = _unary(ops.asin, "The arc sine of every element.")
atan = _unary(ops.atan, "The arc tangent of every element.")
ceil = _unary(ops.ceil, "Every element rounded up.")
cos = _unary(ops.cos, "The cosine of every element.")
exp = _unary(ops.exp, "e to the power of every element.")
floor = _unary(ops.floor, "Every element rounded down.")
reciprocal = _unary(ops.reciprocal, "1 / x.")
rsqrt = _unary(ops.rsqrt, "1 / sqrt(x).")
sin = _unary(ops.sin, "The sine of every element.")
sqrt = _unary(ops.sqrt, "The square root of every element.")
square = _unary(ops.square, "x * x.")
tanh = _unary(sigmoids.tanh, "The hyperbolic tangent of every element.")


def round(x: BaseVariable, d: int = 0, name: str | None = None, out: BaseVariable | None = None) -> BaseVariable:
    """Round every element to `d` decimals.

    Args:
        x: a float variable of any shape.
        d: the number of digits after the decimal point.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable with the shape of x.
    """
    d = integer("round: d", d)
    if d == 0:
        return ops.round(x, name=name, outs=into(out))
    layer = LayerName("round", name)
    rounded = ops.round(scale(x, name=layer, scale=10.0**d), name=layer)
    return scale(rounded, name=layer, outs=into(out), scale=10.0**-d)


def pow(
    input: BaseVariable, exponent: float | BaseVariable, out: BaseVariable | None = None, name: str | None = None
) -> BaseVariable:
    """input ** exponent, elementwise.

    Args:
        input: a float variable of any shape.
        exponent: a number, or a float variable of shape [1], which gets no gradient.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable with the shape of input.
    """
    layer = LayerName("pow", name)
    if is_variable(exponent):
        return pow_op(input, stopped(exponent), name=layer, outs=into(out))
    return pow_op(input, name=layer, outs=into(out), factor=number("pow: exponent", exponent))


_SUMMED = ("float32", "float64", "int32", "int64")


def sum(
    input: BaseVariable,
    dim: Ints | None = None,
    dtype: Dtype | None = None,
    keep_dim: bool = False,
    name: str | None = None,
) -> BaseVariable:
    """The sum over axes.

    Args:
        input: a numeric variable of any shape.
        dim: the axis or the axes to reduce; None for all.
        dtype: the dtype of the sum: float32, float64, int32 or int64; that of input if None.
        keep_dim: keep the reduced axes, with size 1.

    Returns:
        A variable without the reduced axes; of shape [1] if none is left.
    """
    attrs: dict[str, Any] = {}
    if dtype is not None:
        kind = dtype_attr(dtype)
        if kind not in [dtype_attr(allowed) for allowed in _SUMMED]:
            raise DtypeError(f"sum: dtype must be one of {', '.join(_SUMMED)}, got {dtype!r}")
        attrs = {"in_dtype": int(input.dtype), "out_dtype": kind}
    return reduces.reduce_sum(input, name=LayerName("sum", name), keep_dim=keep_dim, **_axes("sum", dim), **attrs)


def max(
    input: BaseVariable,
    dim: Ints | None = None,
    keep_dim: bool = False,
    out: BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """The maximum over axes.

    Args:
        input: a numeric variable of any shape.
        dim: the axis or the axes to reduce; None for all.
        keep_dim: keep the reduced axes, with size 1.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable without the reduced axes; of shape [1] if none is left.
    """
    chosen = _axes("max", dim)
    return reduces.reduce_max(input, name=LayerName("max", name), outs=into(out), keep_dim=keep_dim, **chosen)


def min(
    input: BaseVariable,
    dim: Ints | None = None,
    keep_dim: bool = False,
    out: BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """The minimum over axes.

    Args:
        input: a numeric variable of any shape.
        dim: the axis or the axes to reduce; None for all.
        keep_dim: keep the reduced axes, with size 1.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable without the reduced axes; of shape [1] if none is left.
    """
    chosen = _axes("min", dim)
    return reduces.reduce_min(input, name=LayerName("min", name), outs=into(out), keep_dim=keep_dim, **chosen)


def _axes(what: str, dim: Ints | None) -> dict[str, Any]:
    return {"dim": [0], "reduce_all": True} if dim is None else axes(what, dim)
