"""A failure of a kernel in the engine's own words; both modes use it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

import torch

from refluid.core.callsite import is_engine
from refluid.core.dtypes import TORCH_NAME
from refluid.core.errors import DtypeError, EnforceNotMet, ShapeError, ValueRangeError

_TORCH = os.path.dirname(torch.__file__) + os.sep
_MEMORY = "the result does not fit into memory"
_AXIS = re.compile(r"Dimension out of range \(expected to be in range of \[-?\d+, (-?\d+)\], but got (-?\d+)\)")
_ABOUT_DTYPES = re.compile(r"dtype|scalar type|[Ii]nput type|mixed|Float|Double|Half")


def refusal(error: Exception, inputs: Iterable[tuple[str, Any]] = ()) -> EnforceNotMet | None:
    """The refusal that an exception of a kernel stands for; None if it is no refusal of a kernel.

    Args:
        inputs: the slots and what was in them; values with a `dtype` of torch are checked.
    """
    if isinstance(error, EnforceNotMet):
        return error
    if isinstance(error, IndexError) and _from_torch(error):
        told = _about_an_index(str(error)) or _empty(inputs) or ValueRangeError("an index is out of range")
    elif isinstance(error, RuntimeError) and "memory" in str(error) and "alloc" in str(error):
        told = EnforceNotMet(_MEMORY)
    elif isinstance(error, RuntimeError | TypeError | NotImplementedError) and _from_torch(error):
        told = unfit(error, inputs)
    else:
        return None
    told.__cause__ = error
    told.__suppress_context__ = True
    return told


def unfit(error: Exception, inputs: Iterable[tuple[str, Any]]) -> EnforceNotMet:
    """The reason why torch failed: floating inputs of different dtypes, an empty input, else shapes."""
    inputs = list(inputs)
    if _ABOUT_DTYPES.search(str(error)):
        kinds: dict[Any, str] = {}
        for slot, value in _flat(inputs):
            if value.dtype.is_floating_point:
                kinds.setdefault(value.dtype, slot)
        if len(kinds) > 1:
            (first, slot), (second, other) = list(kinds.items())[:2]
            return DtypeError(
                f"{slot} is {TORCH_NAME[first]}, but {other} is {TORCH_NAME[second]}; "
                f"make them the same, for example with fluid.layers.cast(x, '{TORCH_NAME[second]}')"
            )
    return _empty(inputs) or ShapeError("the shapes or dtypes of the inputs do not fit together")


def _flat(inputs: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any]]:
    for slot, value in inputs:
        for one in value if isinstance(value, list) else [value]:
            if hasattr(getattr(one, "dtype", None), "is_floating_point"):
                yield slot, one


def _empty(inputs: Iterable[tuple[str, Any]]) -> EnforceNotMet | None:
    for slot, one in _flat(inputs):
        if 0 in one.shape:
            return ShapeError(f"{slot} has no elements: its shape is {list(one.shape)}")
    return None


def _about_an_index(text: str) -> EnforceNotMet | None:
    axis = _AXIS.search(text)
    if axis is not None:
        return ShapeError(f"axis {axis[2]} is out of range for an input of {int(axis[1]) + 1} axes")
    if text == "tuple index out of range":  # of a shape
        return ShapeError("an input has fewer axes than the operator reads")
    return None


def _from_torch(error: Exception) -> bool:
    """Whether a kernel of ours or torch itself raised it, rather than Python code that a kernel called back."""
    trace = error.__traceback__
    last = None
    while trace is not None:
        last, trace = trace, trace.tb_next
    if last is None:
        return True
    filename = last.tb_frame.f_code.co_filename
    return is_engine(filename) or filename.startswith(_TORCH)
