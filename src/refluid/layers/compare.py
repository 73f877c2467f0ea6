"""Comparison and logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.mixed import stopped
from refluid.ops.math import compare as ops, finite, logical
from refluid.ops.registry import OpDef


def comparison(op: OpDef, symbol: str, result: str = "") -> Callable[..., BaseVariable]:
    """The layer function of a comparing operator.

    Args:
        op: the operator.
        symbol: it in Python, "==" for example.
        result: what the example of the docstring prints; no example without it.

    Returns:
        A function of (x, y, cond).
    """

    def layer(x: BaseVariable, y: BaseVariable, cond: BaseVariable | None = None) -> BaseVariable:
        if cond is None:
            return stopped(op(x, y))
        return op(x, y, outs={"Out": cond})

    text = COMPARISON.format(symbol=symbol)
    return _documented(layer, op, text + (EXAMPLE.format(function=op.type, result=result) if result else ""))


COMPARISON = """x {symbol} y, element by element.

Args:
    x: a variable of any dtype and shape.
    y: a variable of the dtype of x; its shape is that of x, or broadcast to it.
    cond: the bool variable that takes the result; None for a new one.

Returns:
    A bool variable of the shape of x; no gradient flows through it.
"""
CONNECTIVE = """x {symbol} y, element by element.

Args:
    x: a bool variable of any shape.
    y: a bool variable of the shape of x.
    out: the bool variable that takes the result; None for a new one.

Returns:
    A bool variable of the shape of x.
"""
EXAMPLE = """
Example:
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([1, 2, 3]))
    ...     y = fluid.dygraph.to_variable(np.array([3, 2, 1]))
    ...     fluid.layers.{function}(x, y).numpy().tolist()
    {result}
"""


def _documented(layer: Callable, op: OpDef, text: str) -> Callable:
    layer.__name__ = layer.__qualname__ = op.type
    layer.__doc__ = text
    return layer


equal = comparison(ops.equal, "==", "[False, True, False]")
not_equal = comparison(ops.not_equal, "!=")
less_equal = comparison(ops.less_equal, "<=")
greater_than = comparison(ops.greater_than, ">", "[False, False, True]")
greater_equal = comparison(ops.greater_equal, ">=")


def less_than(
    x: BaseVariable, y: BaseVariable, force_cpu: bool | None = None, cond: BaseVariable | None = None
) -> BaseVariable:
    """x < y, element by element.

    Args:
        x: a variable of any dtype and shape.
        y: a variable of the dtype of x; its shape is that of x, or broadcast to it.
        force_cpu: kept as an attribute of the operator; the result is where it is read.
        cond: the bool variable that takes the result; None for a new one.

    Returns:
        A bool variable of the shape of x; no gradient flows through it.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([1, 2, 3]))
        ...     y = fluid.dygraph.to_variable(np.array([3, 2, 1]))
        ...     fluid.layers.less_than(x, y).numpy().tolist()
        [True, False, False]
    """
    hint: dict[str, Any] = {} if force_cpu is None else {"force_cpu": force_cpu}
    if cond is None:
        return stopped(ops.less_than(x, y, **hint))
    return ops.less_than(x, y, outs={"Out": cond}, **hint)


def elementwise_equal(x: BaseVariable, y: BaseVariable, name: str | None = None) -> BaseVariable:
    """x == y, element by element; `equal` with a name.

    Args:
        x: a variable of any dtype and shape.
        y: a variable of the shape and dtype of x.

    Returns:
        A bool variable of the shape of x; no gradient flows through it.
    """
    return stopped(ops.equal(x, y, name=LayerName("elementwise_equal", name)))


def allclose(
    input: BaseVariable,
    other: BaseVariable,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    name: str | None = None,
) -> BaseVariable:
    """Whether |input - other| <= atol + rtol * |other| holds for all elements.

    Args:
        input: a float variable of any shape.
        other: a variable of the shape and dtype of input.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
        equal_nan: NaN counts as equal to NaN.

    Returns:
        A bool variable [1].
    """
    return ops.allclose(input, other, name=name, rtol=rtol, atol=atol, equal_nan=equal_nan)


def connective(op: OpDef, symbol: str, result: str = "") -> Callable[..., BaseVariable]:
    """The layer function of a logical operator with two inputs.

    Args:
        op: the operator.
        symbol: it in words, "and" for example.
        result: what the example of the docstring prints; no example without it.

    Returns:
        A function of (x, y, out, name).
    """

    def layer(
        x: BaseVariable, y: BaseVariable, out: BaseVariable | None = None, name: str | None = None
    ) -> BaseVariable:
        return op(x, y, name=name, outs=None if out is None else {"Out": out})

    text = CONNECTIVE.format(symbol=symbol)
    return _documented(layer, op, text + (BOOL_EXAMPLE.format(function=op.type, result=result) if result else ""))


BOOL_EXAMPLE = """
Example:
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([True, True, False]))
    ...     y = fluid.dygraph.to_variable(np.array([True, False, False]))
    ...     fluid.layers.{function}(x, y).numpy().tolist()
    {result}
"""

logical_and = connective(logical.logical_and, "and", "[True, False, False]")
logical_or = connective(logical.logical_or, "or", "[True, True, False]")
logical_xor = connective(logical.logical_xor, "exclusive-or")


def logical_not(x: BaseVariable, out: BaseVariable | None = None, name: str | None = None) -> BaseVariable:
    """not x, element by element.

    Args:
        x: a bool variable of any shape.
        out: the bool variable that takes the result; None for a new one.

    Returns:
        A bool variable of the shape of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.logical_not(fluid.dygraph.to_variable(np.array([True, False]))).numpy().tolist()
        [False, True]
    """
    return logical.logical_not(x, name=name, outs=None if out is None else {"Out": out})


def isfinite(x: BaseVariable) -> BaseVariable:
    """Whether all elements are finite.

    Args:
        x: a float, int32 or int64 variable of any shape.

    Returns:
        A bool variable [1].

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.isfinite(fluid.dygraph.to_variable(np.array([1.0, np.inf], "float32"))).numpy().tolist()
        [False]
    """
    return finite.isfinite(x)


def has_inf(x: BaseVariable) -> BaseVariable:
    """Whether any element is infinite.

    Args:
        x: a float, int32 or int64 variable of any shape.

    Returns:
        A bool variable [1].
    """
    return finite.isinf(x)


def has_nan(x: BaseVariable) -> BaseVariable:
    """Whether any element is NaN.

    Args:
        x: a float, int32 or int64 variable of any shape.

    Returns:
        A bool variable [1].
    """
    return finite.isnan(x)


def is_empty(x: BaseVariable, cond: BaseVariable | None = None) -> BaseVariable:
    """Whether x has no elements.

    Args:
        x: a variable of any dtype and shape.
        cond: the bool variable that takes the result; None for a new one.

    Returns:
        A bool variable [1]; no gradient flows through it.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.is_empty(fluid.dygraph.to_variable(np.zeros([2, 3], "float32"))).numpy().tolist()
        [False]
    """
    if cond is None:
        return stopped(ops.is_empty(x))
    return ops.is_empty(x, outs={"Out": cond})
