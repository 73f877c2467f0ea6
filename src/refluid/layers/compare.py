"""Comparison and logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.core.naming import LayerName
from refluid.layers.numbers import stopped
from refluid.ops.math import compare as ops, finite, logical
from refluid.ops.registry import OpDef


def comparison(op: OpDef, what: str) -> Callable:
    """The layer function of a comparing operator."""

    def layer(x: Any, y: Any, cond: Any = None) -> Any:
        if cond is None:
            return stopped(op(x, y))
        return op(x, y, outs={"Out": cond})

    return _named(layer, op, what, "cond: the variable that takes the result, if it is not to be a new one.")


def _named(layer: Callable, op: OpDef, what: str, argument: str) -> Callable:
    layer.__name__ = layer.__qualname__ = op.type
    layer.__doc__ = f"""{what}

    Args:
        {argument}
    Returns:
        A bool variable of the shape of x.
    """
    return layer


equal = comparison(ops.equal, "x == y, element by element.")
not_equal = comparison(ops.not_equal, "x != y, element by element.")
less_equal = comparison(ops.less_equal, "x <= y, element by element.")
greater_than = comparison(ops.greater_than, "x > y, element by element.")
greater_equal = comparison(ops.greater_equal, "x >= y, element by element.")


def less_than(x: Any, y: Any, force_cpu: bool | None = None, cond: Any = None) -> Any:
    """x < y, element by element.

    Args:
        force_cpu: kept in the operator; the result is where it is read anyway.
        cond: the variable that takes the result, if it is not to be a new one.
    """
    hint: dict[str, Any] = {} if force_cpu is None else {"force_cpu": force_cpu}
    if cond is None:
        return stopped(ops.less_than(x, y, **hint))
    return ops.less_than(x, y, outs={"Out": cond}, **hint)


def elementwise_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """x == y, element by element."""
    return stopped(ops.equal(x, y, name=LayerName("elementwise_equal", name)))


def allclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, name: str | None = None
) -> Any:
    """Whether |input - other| <= atol + rtol * |other| everywhere, as a bool of shape [1]."""
    return ops.allclose(input, other, name=name, rtol=rtol, atol=atol, equal_nan=equal_nan)


def connective(op: OpDef, what: str) -> Callable:
    """The layer function of a logical operator with two inputs."""

    def layer(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
        return op(x, y, name=name, outs=None if out is None else {"Out": out})

    return _named(layer, op, what, "out: the variable that takes the result, if it is not to be a new one.")


logical_and = connective(logical.logical_and, "x and y, element by element; both are bool.")
logical_or = connective(logical.logical_or, "x or y, element by element; both are bool.")
logical_xor = connective(logical.logical_xor, "Either x or y, element by element; both are bool.")


def logical_not(x: Any, out: Any = None, name: str | None = None) -> Any:
    """not x, element by element; x is bool.

    Args:
        out: the variable that takes the result, if it is not to be a new one.
    """
    return logical.logical_not(x, name=name, outs=None if out is None else {"Out": out})


def isfinite(x: Any) -> Any:
    """Whether all elements are finite, with shape [1]."""
    return finite.isfinite(x)


def has_inf(x: Any) -> Any:
    """Whether any element is infinite, with shape [1]."""
    return finite.isinf(x)


def has_nan(x: Any) -> Any:
    """Whether any element is not a number, with shape [1]."""
    return finite.isnan(x)


def is_empty(x: Any, cond: Any = None) -> Any:
    """Whether x has no elements, with shape [1].

    Args:
        cond: the variable that takes the result, if it is not to be a new one.
    """
    if cond is None:
        return stopped(ops.is_empty(x))
    return ops.is_empty(x, outs={"Out": cond})
