"""Arrays of tensors: variables of the static mode, plain lists in the imperative one."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core import dtypes, mode, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.naming import LayerName
from refluid.eager.base import to_variable
from refluid.ir import program as programs
from refluid.ir.variable import Variable
from refluid.layers.numbers import need_variable
from refluid.layers.shape import concat, stack
from refluid.ops.array.array import lod_array_length, read_from_array, write_to_array
from refluid.ops.array.tensor_array_to_tensor import tensor_array_to_tensor as join


def create_array(dtype: Any) -> Any:
    """An empty array for tensors of a dtype."""
    if mode.current.imperative:
        return []
    return _declare(unique_name.generate("array") + ".out", dtypes.var_type(dtype))


def array_write(x: Any, i: Any, array: Any = None) -> Any:
    """Write x to element i of an array (a new one if None); gives the array.

    Args:
        i: an int64 variable of one element.
    """
    if mode.current.imperative:
        return _write_to_list(x, i, array)
    _check_position("array_write", i)
    need_variable("array_write: x", x)
    if array is None:
        array = _declare(f"{unique_name.generate('array_write')}.out", x.dtype)
    _check_array("array_write", array)
    write_to_array(x, i, outs={"Out": array})
    array.lod_level = max(array.lod_level, x.lod_level)
    return array


def array_read(array: Any, i: Any) -> Any:
    """Element i of an array."""
    if mode.current.imperative:
        position = _position("array_read", i)
        if not isinstance(array, list):
            raise ArgumentError(f"array_read: array must be a list in the imperative mode, got {type(array).__name__}")
        if not -len(array) <= position < len(array):  # from the end, as of any list
            raise ArgumentError(f"array_read: i is {position}, but the array has {len(array)} elements")
        return array[position]
    _check_position("array_read", i)
    _check_array("array_read", array)
    out = read_from_array(array, i, name=LayerName("array_read"))
    out.lod_level = array.lod_level
    return out


def array_length(array: Any) -> Any:
    """How many elements an array has, as an int64 variable [1]."""
    if mode.current.imperative:
        if not isinstance(array, list):
            raise ArgumentError(
                f"array_length: array must be a list in the imperative mode, got {type(array).__name__}"
            )
        return to_variable(np.array([len(array)], "int64"))
    _check_array("array_length", array)
    out = lod_array_length(array, name=LayerName("array_length"))
    out.stop_gradient = True
    return out


def tensor_array_to_tensor(input: Any, axis: int = 1, name: str | None = None, use_stack: bool = False) -> Any:
    """The elements of an array joined along an axis (as a new axis with use_stack), and how long each is on it."""
    if mode.current.imperative:
        if not isinstance(input, list) or not input:
            raise ArgumentError("tensor_array_to_tensor: input must be a list of variables that is not empty")
        lengths = np.array([1 if use_stack else one.shape[axis] for one in input], "int32")
        return (stack if use_stack else concat)(input, axis), to_variable(lengths)
    if isinstance(input, list | tuple):
        for one in input:
            if not isinstance(one, Variable):
                raise ArgumentError(f"tensor_array_to_tensor: input must hold Variables, got {type(one).__name__}")
    else:
        _check_array("tensor_array_to_tensor", input)
    return join(input, axis=axis, use_stack=use_stack, name=LayerName("tensor_array_to_tensor", name))


def _declare(name: str, dtype: Any) -> Variable:
    block = programs.default_main_program().current_block()
    return block.create_var(name=name, type=VarType.LOD_TENSOR_ARRAY, dtype=dtype)


def _check_array(function: str, array: Any) -> None:
    if not isinstance(array, Variable) or array.type != VarType.LOD_TENSOR_ARRAY:
        what = array.describe() if isinstance(array, Variable) else type(array).__name__
        raise ArgumentError(f"{function}: array must be one that create_array or array_write gave, got {what}")


def _check_position(function: str, i: Any) -> None:
    if not isinstance(i, Variable):
        raise ArgumentError(f"{function}: i must be a Variable, got {type(i).__name__}")
    if i.dtype not in (VarType.INT64, VarType.INT32):
        raise DtypeError(f"{function}: i must be int64, got {dtypes.dtype_name(i.dtype)}")


def _position(function: str, i: Any) -> int:
    if not getattr(i, "is_imperative", False):
        raise ArgumentError(f"{function}: i must be a variable of one element, got {type(i).__name__}")
    return int(i)  # refuses more than one element


def _write_to_list(x: Any, i: Any, array: Any) -> list[Any]:
    position = _position("array_write", i)
    array = [] if array is None else array
    if not isinstance(array, list):
        raise ArgumentError(f"array_write: array must be a list in the imperative mode, got {type(array).__name__}")
    if not -len(array) <= position <= len(array):
        raise ArgumentError(f"array_write: i is {position}, but the array has {len(array)} elements")
    if position < len(array):
        array[position] = x
    else:
        array.append(x)
    return array
