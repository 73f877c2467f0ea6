"""Values in the words of an error."""

from __future__ import annotations

from refluid.core import dtypes
from refluid.ir.variable import Variable
from refluid.jit.runtime.arrays import TensorArray


def describe(value: object) -> str:
    if isinstance(value, Variable):
        return f"a {dtypes.dtype_name(value.dtype)} tensor {list(value.shape)}"
    if isinstance(value, list | tuple | dict):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, TensorArray):
        return "a list that grows"
    return "None" if value is None else f"{type(value).__name__} {value!r:.40}"
