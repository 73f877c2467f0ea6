"""Two variables, element by element; the sum of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from refluid.alpha.common import into
from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable, number
from refluid.layers.common import as_list
from refluid.ops.math import elementwise as ops
from refluid.ops.math.scale import scale
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.registry import OpDef


def add(
    x: BaseVariable, y: BaseVariable, alpha: float = 1, out: BaseVariable | None = None, name: str | None = None
) -> BaseVariable:
    """x + alpha * y, elementwise.

    Args:
        x: a numeric variable of any shape.
        y: a variable of the same dtype, with the shape of x or of its last axes.
        alpha: the factor of y.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable with the shape of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x, y = (fluid.dygraph.to_variable(np.float32(v)) for v in ([1, 2], [10, 20]))
        ...     paddle.tensor.add(x, y, alpha=0.5).numpy().tolist()
        [6.0, 12.0]
    """
    layer = LayerName("elementwise_add", name)
    if alpha != 1:
        y = scale(y, scale=number("add: alpha", alpha))
    return ops.elementwise_add(x, y, name=layer, outs=into(out))


def div(x: BaseVariable, y: BaseVariable, out: BaseVariable | None = None, name: str | None = None) -> BaseVariable:
    """x / y, elementwise.

    Args:
        x: a numeric variable of any shape.
        y: a variable of the same dtype, with the shape of x or of its last axes.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable with the shape of x.
    """
    return ops.elementwise_div(x, y, name=name, outs=into(out))


def _pair(op: OpDef, what: str) -> Callable:
    def function(x: BaseVariable, y: BaseVariable, axis: int = -1, name: str | None = None) -> BaseVariable:
        return op(x, y, name=name, axis=axis)

    function.__name__ = function.__qualname__ = op.type
    function.__doc__ = f"""{what}

    Args:
        x: a numeric variable of any shape.
        y: a variable of the same dtype, with the shape of x or of some contiguous axes of x, along which it broadcasts.
        axis: the axis of x where the shape of y begins; -1 for the last axes.

    Returns:
        A variable with the shape of x.
    """
    return function


elementwise_add = _pair(ops.elementwise_add, "x + y, elementwise.")
elementwise_sub = _pair(ops.elementwise_sub, "x - y, elementwise.")
elementwise_mul = _pair(ops.elementwise_mul, "x * y, elementwise.")
elementwise_div = _pair(ops.elementwise_div, "x / y, elementwise.")


def elementwise_sum(inputs: BaseVariable | Sequence[BaseVariable], name: str | None = None) -> BaseVariable:
    """The sum of a list of variables.

    Args:
        inputs: a list of variables of one shape and dtype.

    Returns:
        A variable of that shape.
    """
    variables = as_list(inputs)
    if not variables or not all(is_variable(var) for var in variables):
        raise ArgumentError(f"elementwise_sum: inputs must be a list of Variables, got {inputs!r:.60}")
    return sum_op(variables, name=LayerName("elementwise_sum", name))
