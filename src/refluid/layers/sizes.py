"""Sizes that are variables: what functions with a shape argument share."""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import VarType
from refluid.core.naming import LayerName
from refluid.ops.shape.fill_constant import fill_constant


def is_variable(value: Any) -> bool:
    """Whether a size is a variable of either mode, not a number."""
    return hasattr(value, "stop_gradient")


def size_tensors(sizes: list[Any], layer: LayerName) -> list[Any]:
    """Every size as a variable of one int32; numbers become constants."""
    made = []
    for size in sizes:
        if is_variable(size):
            size.stop_gradient = True
            made.append(size)
        else:
            constant = fill_constant(
                name=layer,
                shape=[1],
                dtype=int(VarType.INT32),
                value=float(size),
                str_value=str(int(size)),
                force_cpu=True,
            )
            constant.stop_gradient = True
            made.append(constant)
    return made
