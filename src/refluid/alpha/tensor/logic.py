"""Comparison of whole variables."""

from __future__ import annotations

from typing import Any

from refluid.core.naming import LayerName
from refluid.layers.numbers import stopped
from refluid.ops.math.compare import equal_reduce


def equal(x: Any, y: Any, axis: int = -1, name: str | None = None) -> Any:
    """Whether x and y have the same shape and the same elements.

    `elementwise_equal` compares element by element.

    Args:
        axis: kept in the operator; whole variables are compared whatever it says.
    Returns:
        A bool variable [1].
    """
    return stopped(equal_reduce(x, y, name=LayerName("equal_reduce", name), axis=axis))
