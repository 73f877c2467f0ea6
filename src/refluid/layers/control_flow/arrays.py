"""Arrays of variables (LoDTensorArray): variables of a program, lists in the imperative mode."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from refluid.core import dtypes, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.mode import per_mode
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.eager.base import to_variable
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.variable import Variable
from refluid.layers.checks import need_variable
from refluid.layers.shape import concat, stack
from refluid.ops.array.array import lod_array_length, read_from_array, write_to_array
from refluid.ops.array.tensor_array_to_tensor import tensor_array_to_tensor as join

Array: TypeAlias = BaseVariable | list[BaseVariable]
"""An array: a variable of a program, a list in the imperative mode."""


@per_mode
def create_array(dtype: Dtype) -> BaseVariable | list[BaseVariable]:
    """An empty array of variables (LoDTensorArray); a list in the imperative mode.

    Args:
        dtype: the dtype of its elements.

    Returns:
        A variable of type LOD_TENSOR_ARRAY.

    Example:
        >>> array = fluid.layers.create_array("float32")
        >>> array.type == fluid.core.VarDesc.VarType.LOD_TENSOR_ARRAY
        True
    """
    return _declare(unique_name.generate("array") + ".out", dtypes.var_type(dtype))


@create_array.imperative
def _create_list(dtype: Dtype) -> list[BaseVariable]:
    return []


@per_mode
def array_write(x: BaseVariable, i: BaseVariable, array: Any = None) -> BaseVariable | list[BaseVariable]:
    """Write a variable to an element of an array.

    Args:
        x: a variable of any dtype and shape.
        i: the position, an int64 variable of one element; at most the length of the array.
        array: the array; None for a new one.

    Returns:
        The array.

    Example:
        >>> i = fluid.layers.fill_constant([1], "int64", 0)
        >>> array = fluid.layers.array_write(fluid.data("x", [None, 4]), i)
        >>> fluid.layers.array_read(array, i).shape
        (-1, 4)
    """
    _check_position("array_write", i)
    need_variable("array_write: x", x)
    if array is None:
        array = _declare(f"{unique_name.generate('array_write')}.out", x.dtype)
    _check_array("array_write", array)
    write_to_array(x, i, outs={"Out": array})
    array.lod_level = max(array.lod_level, x.lod_level)
    return array


@array_write.imperative
def _write_to_list(x: BaseVariable, i: BaseVariable, array: Array | None = None) -> list[BaseVariable]:
    position = _position("array_write", i)
    array = _listed("array_write", [] if array is None else array)
    if not -len(array) <= position <= len(array):
        raise ArgumentError(f"array_write: i is {position}, but the array has {len(array)} elements")
    if position < len(array):
        array[position] = x
    else:
        array.append(x)
    return array


@per_mode
def array_read(array: Any, i: BaseVariable) -> BaseVariable:
    """An element of an array.

    Args:
        array: the array.
        i: the position, an int64 variable of one element.

    Returns:
        A variable.

    Example:
        >>> i = fluid.layers.fill_constant([1], "int64", 0)
        >>> array = fluid.layers.array_write(fluid.data("x", [None, 4]), i)
        >>> fluid.layers.array_read(array, i).shape
        (-1, 4)
    """
    _check_position("array_read", i)
    _check_array("array_read", array)
    out = read_from_array(array, i, name=LayerName("array_read"))
    out.lod_level = array.lod_level
    return out


@array_read.imperative
def _read_from_list(array: Array, i: BaseVariable) -> BaseVariable:
    position = _position("array_read", i)
    array = _listed("array_read", array)
    if not -len(array) <= position < len(array):  # from the end, as of any list
        raise ArgumentError(f"array_read: i is {position}, but the array has {len(array)} elements")
    return array[position]


@per_mode
def array_length(array: Array) -> BaseVariable:
    """The number of elements of an array.

    Args:
        array: the array.

    Returns:
        An int64 variable [1]; no gradient flows through it.
    """
    _check_array("array_length", array)
    out = lod_array_length(array, name=LayerName("array_length"))
    out.stop_gradient = True
    return out


@array_length.imperative
def _list_length(array: Array) -> BaseVariable:
    return to_variable(np.array([len(_listed("array_length", array))], "int64"))


@per_mode
def tensor_array_to_tensor(
    input: Array, axis: int = 1, name: str | None = None, use_stack: bool = False
) -> tuple[BaseVariable, BaseVariable]:
    """The elements of an array joined along an axis.

    Args:
        input: an array, or a list of variables.
        axis: the axis.
        use_stack: join along a new axis.

    Returns:
        (the joined elements; the size of each along the axis, int32 [number of elements]).
    """
    if isinstance(input, list | tuple):
        for element in input:
            if not isinstance(element, Variable):
                raise ArgumentError(f"tensor_array_to_tensor: input must hold Variables, got {type(element).__name__}")
    else:
        _check_array("tensor_array_to_tensor", input)
    return join(input, axis=axis, use_stack=use_stack, name=LayerName("tensor_array_to_tensor", name))


@tensor_array_to_tensor.imperative
def _join_list(
    input: Array, axis: int = 1, name: str | None = None, use_stack: bool = False
) -> tuple[BaseVariable, BaseVariable]:
    if not isinstance(input, list) or not input:
        raise ArgumentError("tensor_array_to_tensor: input must be a list of variables that is not empty")
    lengths = np.array([1 if use_stack else element.shape[axis] for element in input], "int32")
    return (stack if use_stack else concat)(input, axis), to_variable(lengths)


def _declare(name: str, dtype: Dtype) -> Variable:
    block = programs.default_main_program().current_block()
    return block.create_var(name=name, type=VarType.LOD_TENSOR_ARRAY, dtype=dtype)


def _check_array(function: str, array: Array) -> None:
    if not isinstance(array, Variable) or array.type != VarType.LOD_TENSOR_ARRAY:
        what = array.describe() if isinstance(array, Variable) else type(array).__name__
        raise ArgumentError(f"{function}: array must be one that create_array or array_write gave, got {what}")


def _check_position(function: str, i: object) -> None:
    if not isinstance(i, Variable):
        raise ArgumentError(f"{function}: i must be a Variable, got {type(i).__name__}")
    if i.dtype not in (VarType.INT64, VarType.INT32):
        raise DtypeError(f"{function}: i must be int64, got {dtypes.dtype_name(i.dtype)}")


def _position(function: str, i: object) -> int:
    if not isinstance(i, VarBase):
        raise ArgumentError(f"{function}: i must be a variable of one element, got {type(i).__name__}")
    return int(i)  # refuses more than one element


def _listed(function: str, array: Array) -> list[Any]:
    if not isinstance(array, list):
        raise ArgumentError(f"{function}: array must be a list in the imperative mode, got {type(array).__name__}")
    return array
