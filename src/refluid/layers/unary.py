"""Functions of every element by itself: exp, sqrt, abs, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from refluid.core.naming import LayerName
from refluid.layers.numbers import is_variable, number
from refluid.layers.tensor import assign
from refluid.ops.math import unary as ops
from refluid.ops.math.pow import pow as pow_op
from refluid.ops.registry import OpDef


def unary(op: OpDef, what: str) -> Callable:
    """The layer function of an operator from X to Out without attributes."""

    def layer(x: Any, name: str | None = None) -> Any:
        return op(x, name=name)

    layer.__name__ = layer.__qualname__ = op.type
    layer.__doc__ = f"""{what}

    Args:
        x: a variable of any shape.
    Returns:
        A variable of the shape and dtype of x; it carries the LoD of x.
    """
    return layer


exp = unary(ops.exp, "e to the power of every element.")
log = unary(ops.log, "The natural logarithm of every element.")
sqrt = unary(ops.sqrt, "The square root of every element.")
rsqrt = unary(ops.rsqrt, "1 / sqrt(x).")
abs = unary(ops.abs, "The absolute value of every element.")
ceil = unary(ops.ceil, "Every element rounded up.")
floor = unary(ops.floor, "Every element rounded down.")
round = unary(ops.round, "Every element rounded to the nearest whole number.")
cos = unary(ops.cos, "The cosine of every element.")
sin = unary(ops.sin, "The sine of every element.")
acos = unary(ops.acos, "The arc cosine of every element.")
asin = unary(ops.asin, "The arc sine of every element.")
atan = unary(ops.atan, "The arc tangent of every element.")
square = unary(ops.square, "x * x.")
reciprocal = unary(ops.reciprocal, "1 / x.")


def erf(x: Any) -> Any:
    """The Gauss error function of every element."""
    return ops.erf(x)


def sign(x: Any) -> Any:
    """-1, 0 or 1 for every element of a variable or a numpy array."""
    return ops.sign(assign(x) if isinstance(x, np.ndarray) else x)


def log1p(x: Any, out: Any = None, name: str | None = None) -> Any:
    """log(1 + x), exact for small x.

    Args:
        out: the variable that takes the result, if it is not to be a new one.
    """
    return ops.log1p(x, name=name, outs=None if out is None else {"Out": out})


def pow(x: Any, factor: Any = 1.0, name: str | None = None) -> Any:
    """x to the power of `factor`, a number or a variable [1]."""
    if not is_variable(factor):
        return pow_op(x, name=name, factor=number("pow: factor", factor))
    factor.stop_gradient = True
    return pow_op(x, factor, name=LayerName("pow", name))
