"""Argument checks that both modes make, in the same words."""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import TORCH_NAME
from refluid.core.errors import DtypeError
from refluid.ops.registry import BOOLS, FLOATS, INDICES, INTS, NUMBERS, OpDef

_WORDS = {FLOATS: "floating point", INTS: "an integer", INDICES: "int32 or int64", BOOLS: "bool", NUMBERS: "a number"}


def check_dtypes(op: OpDef, values: Any) -> None:
    """Refuse dtypes that the operator does not take. `values` have a `dtype` of torch, in slot order."""
    for index, allowed in op.dtypes.items():
        if index >= len(values):
            continue
        value = values[index]
        for one in value if isinstance(value, list | tuple) and not hasattr(value, "dtype") else (value,):
            dtype = getattr(one, "dtype", None)
            if dtype is not None and dtype not in allowed:
                raise wrong_dtype(op, index, dtype)


def wrong_dtype(op: OpDef, index: int, dtype: Any) -> DtypeError:
    allowed = op.dtypes[index]
    words = _WORDS.get(allowed) or "one of " + ", ".join(sorted(TORCH_NAME[d] for d in allowed))
    return DtypeError(f"{op.type}: {op.inputs[index].name} must be {words}, got {TORCH_NAME.get(dtype, str(dtype))}")
