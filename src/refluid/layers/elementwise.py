"""Two variables, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.core.naming import LayerName
from refluid.layers.common import activate, activate_own
from refluid.ops.math import elementwise as ops
from refluid.ops.registry import OpDef

# Their gradients do not read their results, which an activation may so write over.
_NOT_READ_AGAIN = (ops.elementwise_add, ops.elementwise_sub, ops.elementwise_mul)


def elementwise(op: OpDef, what: str) -> Callable:
    """The layer function of an operator on X and Y."""

    def layer(x: Any, y: Any, axis: int = -1, act: Any = None, name: str | None = None) -> Any:
        if act is None:
            return op(x, y, name=name, axis=axis)
        named = LayerName(op.type, name)
        out = op(x, y, name=named, axis=axis)
        return activate_own(out, act, named) if op in _NOT_READ_AGAIN else activate(out, act, named)

    layer.__name__ = layer.__qualname__ = op.type
    layer.__doc__ = f"""{what}

    Args:
        x, y: variables; y has the shape of x, or of some neighbouring axes of x, along which it is repeated.
        axis: the axis of x where the shape of y begins; -1: y belongs to the last ones.
        act: the name of an activation.
    Returns:
        A variable of the shape of x; it carries the LoD of x.
    """
    return layer


elementwise_add = elementwise(ops.elementwise_add, "x + y.")
elementwise_sub = elementwise(ops.elementwise_sub, "x - y.")
elementwise_mul = elementwise(ops.elementwise_mul, "x * y.")
elementwise_div = elementwise(ops.elementwise_div, "x / y.")
elementwise_max = elementwise(ops.elementwise_max, "The larger of x and y.")
elementwise_min = elementwise(ops.elementwise_min, "The smaller of x and y.")
elementwise_pow = elementwise(ops.elementwise_pow, "x to the power of y.")
elementwise_mod = elementwise(ops.elementwise_mod, "The remainder of x / y, with the sign of y; for integers.")
elementwise_floordiv = elementwise(ops.elementwise_floordiv, "x / y without the remainder; for integers.")
