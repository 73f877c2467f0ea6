"""Elementwise functions of two variables: elementwise_add, elementwise_mul, ..."""

from __future__ import annotations

from collections.abc import Callable

from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import activate, activate_own
from refluid.ops.math import elementwise as ops
from refluid.ops.registry import OpDef

# Their gradients do not read their results, so that an activation may overwrite them.
_NOT_READ_AGAIN = (ops.elementwise_add, ops.elementwise_sub, ops.elementwise_mul)


def elementwise(op: OpDef, what: str, result: str = "") -> Callable[..., BaseVariable]:
    """The layer function of an operator on X and Y.

    Args:
        op: the operator.
        what: its formula, the first line of the function's docstring.
        result: what the example of the docstring prints; no example without it.

    Returns:
        A function of (x, y, axis, act, name).
    """

    def layer(
        x: BaseVariable, y: BaseVariable, axis: int = -1, act: str | None = None, name: str | None = None
    ) -> BaseVariable:
        if act is None:
            return op(x, y, name=name, axis=axis)
        named = LayerName(op.type, name)
        out = op(x, y, name=named, axis=axis)
        return activate_own(out, act, named) if op in _NOT_READ_AGAIN else activate(out, act, named)

    kind = "an integer" if op is ops.elementwise_floordiv else "a numeric"
    layer.__name__ = layer.__qualname__ = op.type
    layer.__doc__ = DOCSTRING.format(what=what, kind=kind) + (
        EXAMPLE.format(function=op.type, result=result) if result else ""
    )
    return layer


DOCSTRING = """{what}

Args:
    x: {kind} variable of any shape.
    y: a variable of the dtype of x. Its shape is that of x or of consecutive axes of x; along the others it is
        broadcast.
    axis: the axis of x at which the shape of y begins; -1 aligns y with the last axes.
    act: the name of an activation, "relu" for example.

Returns:
    A variable of the shape, dtype and LoD of x.
"""
EXAMPLE = """
Example:
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([[1.0, 2.0], [3.0, 4.0]], "float32"))
    ...     y = fluid.dygraph.to_variable(np.array([2.0, 4.0], "float32"))
    ...     fluid.layers.{function}(x, y).numpy().tolist()
    {result}
"""


elementwise_add = elementwise(ops.elementwise_add, "x + y, element by element.", "[[3.0, 6.0], [5.0, 8.0]]")
elementwise_sub = elementwise(ops.elementwise_sub, "x - y, element by element.", "[[-1.0, -2.0], [1.0, 0.0]]")
elementwise_mul = elementwise(ops.elementwise_mul, "x * y, element by element.", "[[2.0, 8.0], [6.0, 16.0]]")
elementwise_div = elementwise(ops.elementwise_div, "x / y, element by element.", "[[0.5, 0.5], [1.5, 1.0]]")
elementwise_max = elementwise(ops.elementwise_max, "max(x, y), element by element.", "[[2.0, 4.0], [3.0, 4.0]]")
elementwise_min = elementwise(ops.elementwise_min, "min(x, y), element by element.", "[[1.0, 2.0], [2.0, 4.0]]")
elementwise_pow = elementwise(ops.elementwise_pow, "x to the power of y, element by element.")
elementwise_mod = elementwise(
    ops.elementwise_mod,
    "The remainder of x / y, element by element: of integers with the sign of x, of floats with that of y.",
)
elementwise_floordiv = elementwise(
    ops.elementwise_floordiv, "The quotient of x / y, truncated towards zero, element by element; for integers."
)
