"""Copies, casts, orders and sets of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.naming import LayerName
from refluid.ir.arithmetic import array_attrs
from refluid.layers.common import dtype_attr
from refluid.layers.numbers import is_variable, need_variable, stopped, whole
from refluid.ops.shape import arg_max, assign as assigns, one_hot as one_hots, selected_rows, unique as uniques
from refluid.ops.shape.argsort import argsort as argsort_op
from refluid.ops.shape.cast import cast as cast_op
from refluid.ops.shape.shard_index import shard_index as shard_index_op
from refluid.ops.shape.top_k import top_k

_LARGEST = 1024 * 1024


def cast(x: Any, dtype: Any) -> Any:
    """x with another dtype."""
    need_variable("cast: x", x)
    return cast_op(x, in_dtype=int(x.dtype), out_dtype=dtype_attr(dtype))


def assign(input: Any, output: Any = None) -> Any:
    """A copy of a variable, or a numpy array as a constant of the program.

    Args:
        input: a variable, or an array of bool, float32, int32 or int64 with at most 1024 * 1024 elements.
        output: the variable that takes the copy, if it is not to be a new one.
    """
    outs = None if output is None else {"Out": output}
    if is_variable(input):
        return assigns.assign(input, outs=outs)
    if not isinstance(input, np.ndarray):
        raise ArgumentError(f"assign: input must be a Variable or a numpy array, got {type(input).__name__}")
    if input.size > _LARGEST:
        raise ArgumentError(f"assign: an array of at most {_LARGEST} elements fits into a program, got {input.size}")
    return assigns.assign_value(name=LayerName("assign"), outs=outs, **array_attrs(input))


def one_hot(input: Any, depth: Any, allow_out_of_range: bool = False) -> Any:
    """A row of zeros with a one at the place that each index names.

    Args:
        input: int64 [..., 1]; the last axis is replaced by the rows.
        depth: the length of a row, an int or a variable [1].
        allow_out_of_range: such an index gives a row of zeros instead of an error.
    Returns:
        A float32 variable through which no gradient goes.
    """
    return stopped(_one_hot(one_hots.one_hot, input, depth, allow_out_of_range))


def fluid_one_hot(input: Any, depth: Any, allow_out_of_range: bool = False) -> Any:
    """fluid.one_hot: as layers.one_hot, but the rows are one more axis after those of input."""
    return _one_hot(one_hots.one_hot_v2, input, depth, allow_out_of_range)


def _one_hot(op: Any, input: Any, depth: Any, allow_out_of_range: bool) -> Any:
    if is_variable(depth):
        return op(input, stopped(depth), allow_out_of_range=allow_out_of_range)
    return op(input, depth=whole("one_hot: depth", depth), allow_out_of_range=allow_out_of_range)


def topk(input: Any, k: Any, name: str | None = None) -> Any:
    """The k largest elements along the last axis, the largest first.

    Args:
        k: an int or a variable [1].
    Returns:
        (values, int64 indices), through which no gradient goes.
    """
    if is_variable(k):
        values, indices = top_k(input, k, name=name)
    else:
        values, indices = top_k(input, name=name, k=whole("topk: k", k))
    return stopped(values), stopped(indices)


def argmax(x: Any, axis: int = 0) -> Any:
    """The int64 index of the largest element along an axis, which goes."""
    return stopped(arg_max.arg_max(x, axis=axis))


def argmin(x: Any, axis: int = 0) -> Any:
    """The int64 index of the smallest element along an axis, which goes."""
    return stopped(arg_max.arg_min(x, axis=axis))


def argsort(input: Any, axis: int = -1, descending: bool = False, name: str | None = None) -> Any:
    """The elements in order along an axis.

    Returns:
        (values, int64 indices), through which no gradient goes.
    """
    values, indices = argsort_op(input, name=name, axis=axis, descending=descending)
    return stopped(values), stopped(indices)


def unique(x: Any, dtype: Any = "int32") -> Any:
    """The different elements of a vector in the order in which they first come.

    Args:
        dtype: of the indices, int32 or int64.
    Returns:
        (the elements, for every element of x its place among them).
    """
    return uniques.unique(x, dtype=_index_dtype("unique", dtype))


def unique_with_counts(x: Any, dtype: Any = "int32") -> Any:
    """As unique, with a third result: how often each element comes."""
    return uniques.unique_with_counts(x, dtype=_index_dtype("unique_with_counts", dtype))


def _index_dtype(what: str, dtype: Any) -> int:
    kind = dtype_attr(dtype)
    if kind not in (VarType.INT32, VarType.INT64):
        raise DtypeError(f"{what}: dtype must be int32 or int64, got {dtype!r}")
    return kind


def shard_index(input: Any, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Any:
    """Indices into one shard of a table: those of other shards become ignore_value.

    Args:
        input: int64 [..., 1].
        index_num: the size of the whole table, which is cut into `nshards` equal shards.
        shard_id: which of them.
    """
    if not 0 <= shard_id < nshards:
        raise ArgumentError(f"shard_index: shard_id must be in [0, {nshards}), got {shard_id}")
    return shard_index_op(input, index_num=index_num, nshards=nshards, shard_id=shard_id, ignore_value=ignore_value)


def merge_selected_rows(x: Any, name: str | None = None) -> Any:
    """A sparse gradient with every row once: the values of a row that it has several times are added up."""
    return selected_rows.merge_selected_rows(x, name=name)


def get_tensor_from_selected_rows(x: Any, name: str | None = None) -> Any:
    """The values of a sparse gradient, without the numbers of their rows."""
    return selected_rows.get_tensor_from_selected_rows(x, name=name)
