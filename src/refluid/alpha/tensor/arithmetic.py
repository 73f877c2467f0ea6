"""Two variables, element by element; the sum of several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.alpha.common import into
from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.common import as_list
from refluid.layers.numbers import is_variable, number
from refluid.ops.math import elementwise as ops
from refluid.ops.math.scale import scale
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.registry import OpDef


def add(x: Any, y: Any, alpha: float = 1, out: Any = None, name: str | None = None) -> Any:
    """x + alpha * y.

    Args:
        x, y: variables; y has the shape of x or of its last axes.
        out: the variable that takes the result, if it is not to be a new one.
    """
    layer = LayerName("elementwise_add", name)
    if alpha != 1:
        y = scale(y, scale=number("add: alpha", alpha))
    return ops.elementwise_add(x, y, name=layer, outs=into(out))


def div(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """x / y.

    Args:
        x, y: variables; y has the shape of x or of its last axes.
        out: the variable that takes the result, if it is not to be a new one.
    """
    return ops.elementwise_div(x, y, name=name, outs=into(out))


def _pair(op: OpDef, what: str) -> Callable:
    def function(x: Any, y: Any, axis: int = -1, name: str | None = None) -> Any:
        return op(x, y, name=name, axis=axis)

    function.__name__ = function.__qualname__ = op.type
    function.__doc__ = f"""{what}

    Args:
        x, y: variables; y has the shape of x, or of some neighbouring axes of x, along which it is repeated.
        axis: the axis of x where the shape of y begins; -1: y belongs to the last ones.
    """
    return function


elementwise_add = _pair(ops.elementwise_add, "x + y.")
elementwise_sub = _pair(ops.elementwise_sub, "x - y.")
elementwise_mul = _pair(ops.elementwise_mul, "x * y.")
elementwise_div = _pair(ops.elementwise_div, "x / y.")


def elementwise_sum(inputs: Any, name: str | None = None) -> Any:
    """The sum of a list of variables of one shape."""
    given = as_list(inputs)
    if not given or not all(is_variable(one) for one in given):
        raise ArgumentError(f"elementwise_sum: inputs must be a list of Variables, got {inputs!r:.60}")
    return sum_op(given, name=LayerName("elementwise_sum", name))
