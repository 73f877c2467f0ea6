"""Comparison of whole variables."""

from __future__ import annotations

from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.mixed import stopped
from refluid.ops.math.compare import equal_reduce


def equal(x: BaseVariable, y: BaseVariable, axis: int = -1, name: str | None = None) -> BaseVariable:
    """Whether x and y have the same shape and the same elements.

    `elementwise_equal` compares element by element.

    Args:
        x: a variable of any dtype and shape.
        y: a variable of the dtype of x, of any shape.
        axis: no effect; whole variables are compared.

    Returns:
        A bool variable of shape [1].
    """
    return stopped(equal_reduce(x, y, name=LayerName("equal_reduce", name), axis=axis))
