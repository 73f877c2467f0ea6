"""Elementwise functions of one variable: exp, sqrt, abs, ..."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable, number
from refluid.layers.tensor import assign
from refluid.ops.math import unary as ops
from refluid.ops.math.pow import pow as pow_op
from refluid.ops.registry import OpDef


def unary(op: OpDef, what: str, example: tuple[list[float], list[float]] | None = None) -> Callable[..., BaseVariable]:
    """The layer function of an operator from X to Out without attributes.

    Args:
        op: the operator.
        what: its formula, the first line of the function's docstring.
        example: an input and its result for the example of the docstring; None for no example.

    Returns:
        A function of (x, name).
    """

    def layer(x: BaseVariable, name: str | None = None) -> BaseVariable:
        return op(x, name=name)

    layer.__name__ = layer.__qualname__ = op.type
    layer.__doc__ = DOCSTRING.format(what=what)
    if example is not None:
        layer.__doc__ += EXAMPLE.format(function=op.type, input=example[0], result=example[1])
    return layer


DOCSTRING = """{what}

Args:
    x: a float variable of any shape.

Returns:
    A variable of the shape, dtype and LoD of x.
"""
EXAMPLE = """
Example:
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array({input}, "float32"))
    ...     fluid.layers.{function}(x).numpy().tolist()
    {result}
"""

exp = unary(ops.exp, "exp(x), element by element.", ([0.0], [1.0]))
log = unary(ops.log, "The natural logarithm of x, element by element.", ([1.0], [0.0]))
sqrt = unary(ops.sqrt, "The square root of x, element by element.", ([4.0, 9.0], [2.0, 3.0]))
rsqrt = unary(ops.rsqrt, "1 / sqrt(x), element by element.")
abs = unary(ops.abs, "|x|, element by element.", ([-2.0, 3.0], [2.0, 3.0]))
ceil = unary(ops.ceil, "The smallest integer not below x, element by element.")
floor = unary(ops.floor, "The largest integer not above x, element by element.")
round = unary(ops.round, "x rounded to the nearest integer, element by element.")
cos = unary(ops.cos, "The cosine of x in radians, element by element.", ([0.0], [1.0]))
sin = unary(ops.sin, "The sine of x in radians, element by element.", ([0.0], [0.0]))
acos = unary(ops.acos, "The arc cosine of x in radians, element by element.")
asin = unary(ops.asin, "The arc sine of x in radians, element by element.")
atan = unary(ops.atan, "The arc tangent of x in radians, element by element.")
square = unary(ops.square, "x * x, element by element.", ([-2.0, 3.0], [4.0, 9.0]))
reciprocal = unary(ops.reciprocal, "1 / x, element by element.")


def erf(x: BaseVariable) -> BaseVariable:
    """The Gauss error function of x, element by element: 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x.

    Args:
        x: a float variable of any shape.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return ops.erf(x)


def sign(x: BaseVariable | np.ndarray) -> BaseVariable:
    """The sign of x, element by element: -1, 0 or 1.

    Args:
        x: a float variable of any shape, or a numpy array.

    Returns:
        A variable of the shape and dtype of x.
    """
    return ops.sign(assign(x) if isinstance(x, np.ndarray) else x)


def log1p(x: BaseVariable, out: BaseVariable | None = None, name: str | None = None) -> BaseVariable:
    """log(1 + x), element by element, accurate for small x.

    Args:
        x: a float variable of any shape.
        out: the variable that takes the result; None for a new one.

    Returns:
        A variable of the shape and dtype of x.
    """
    return ops.log1p(x, name=name, outs=None if out is None else {"Out": out})


def pow(x: BaseVariable, factor: float | BaseVariable = 1.0, name: str | None = None) -> BaseVariable:
    """x to the power of `factor`, element by element.

    Args:
        x: a float, int32 or int64 variable of any shape.
        factor: a number, or a float32 variable [1].

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    if not is_variable(factor):
        return pow_op(x, name=name, factor=number("pow: factor", factor))
    factor.stop_gradient = True
    return pow_op(x, factor, name=LayerName("pow", name))
