"""The data types and variable types of Fluid, and the one place that maps them to numpy and torch."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from refluid.core.callsite import in_call
from refluid.core.errors import ArgumentError

if TYPE_CHECKING:
    from refluid.core.types import Dtype


class VarType(enum.IntEnum):
    """What a variable holds: an element type or a container. Numbers are those of Fluid's files."""

    BOOL = 0
    INT16 = 1
    INT32 = 2
    INT64 = 3
    FP16 = 4
    FP32 = 5
    FP64 = 6
    LOD_TENSOR = 7
    SELECTED_ROWS = 8
    FEED_MINIBATCH = 9
    FETCH_LIST = 10
    STEP_SCOPES = 11
    LOD_RANK_TABLE = 12
    LOD_TENSOR_ARRAY = 13
    PLACE_LIST = 14
    READER = 15
    RAW = 17
    TUPLE = 18
    SIZE_T = 19
    UINT8 = 20
    INT8 = 21

    def __str__(self) -> str:
        return f"VarType.{self.name}"

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


_ROWS = (
    (VarType.BOOL, "bool", torch.bool),
    (VarType.INT16, "int16", torch.int16),
    (VarType.INT32, "int32", torch.int32),
    (VarType.INT64, "int64", torch.int64),
    (VarType.FP16, "float16", torch.float16),
    (VarType.FP32, "float32", torch.float32),
    (VarType.FP64, "float64", torch.float64),
    (VarType.UINT8, "uint8", torch.uint8),
    (VarType.INT8, "int8", torch.int8),
    (VarType.SIZE_T, "uint64", torch.uint64),  # the number that Fluid's files have for it
)
NAME = {var_type: name for var_type, name, _ in _ROWS}
TORCH = {var_type: dtype for var_type, _, dtype in _ROWS}
FROM_TORCH = {dtype: var_type for var_type, _, dtype in _ROWS}
_FROM_NAME = {name: var_type for var_type, name, _ in _ROWS}
_FROM_NUMPY = {np.dtype(name): var_type for var_type, name, _ in _ROWS}
_FROM_NUMPY[np.dtype(np.uint16)] = VarType.INT16  # as Fluid declares it
TORCH_NAME = {dtype: name for _, name, dtype in _ROWS}


def var_type(dtype: Any) -> VarType:
    """The VarType of whatever a program writes as a dtype: 'float32', np.float32, VarType.FP32, torch.float32."""
    if isinstance(dtype, VarType):
        if dtype in NAME:
            return dtype
    elif isinstance(dtype, str):
        if dtype in _FROM_NAME:
            return _FROM_NAME[dtype]
        try:
            return _FROM_NUMPY[np.dtype(dtype)]  # 'int', 'float', 'double', as numpy understands them
        except (TypeError, KeyError):
            pass
    elif isinstance(dtype, torch.dtype):
        if dtype in FROM_TORCH:
            return FROM_TORCH[dtype]
    elif isinstance(dtype, int) and not isinstance(dtype, bool):
        if dtype in NAME:  # an IntEnum key equals its number: attributes of a program are plain ints
            return VarType(dtype)
    else:
        try:
            return _FROM_NUMPY[np.dtype(dtype)]
        except (TypeError, KeyError):
            pass
    raise ArgumentError(in_call(f"dtype must be one of {', '.join(_FROM_NAME)}, got {dtype!r}"))


def torch_dtype(dtype: Dtype | int) -> torch.dtype:
    """The torch dtype of anything that `var_type` understands."""
    if isinstance(dtype, int):  # the attribute of an operator: the common case, and a hot one
        found = TORCH.get(dtype)  # type: ignore[call-overload]  # an IntEnum key equals its number
        if found is not None:
            return found
    return dtype if isinstance(dtype, torch.dtype) else TORCH[var_type(dtype)]


def dtype_name(dtype: Dtype | int) -> str:
    """Fluid's spelling: 'float32', 'int64', ..."""
    return NAME[var_type(dtype)]


def numpy_dtype(dtype: Dtype | int) -> np.dtype:
    return np.dtype(dtype_name(dtype))


def is_floating(dtype: Dtype | int) -> bool:
    return torch_dtype(dtype).is_floating_point


def convert_np_dtype_to_dtype_(np_dtype: Dtype | int) -> VarType:
    """Fluid's name for `var_type`."""
    return var_type(np_dtype)


def dtype_is_floating(dtype: Dtype | int) -> bool:
    """Whether a dtype, in whatever spelling, is float16, float32 or float64."""
    return is_floating(dtype)


def size_of_dtype(dtype: Dtype | int) -> int:
    """The bytes of one element."""
    return numpy_dtype(dtype).itemsize
