"""Copies, casts, sorting, one-hot vectors and distinct elements."""

from __future__ import annotations

import numpy as np

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, EnforceNotMet
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable, array_attrs
from refluid.layers.checks import integer, is_variable, need_variable
from refluid.layers.common import dtype_attr
from refluid.layers.mixed import stopped
from refluid.ops.registry import OpDef
from refluid.ops.shape import arg_max, assign as assigns, one_hot as one_hots, selected_rows, unique as uniques
from refluid.ops.shape.argsort import argsort as argsort_op
from refluid.ops.shape.cast import cast as cast_op
from refluid.ops.shape.shard_index import shard_index as shard_index_op
from refluid.ops.shape.top_k import top_k

_LARGEST = 1024 * 1024


def cast(x: BaseVariable, dtype: Dtype) -> BaseVariable:
    """x converted to another dtype.

    Args:
        x: a variable of any dtype and shape.
        dtype: the dtype of the result.

    Returns:
        A variable of the shape and LoD of x.

    Example:
        >>> x = fluid.data("x", [None, 3], "int64")
        >>> fluid.layers.cast(x, "float32").dtype == fluid.core.VarDesc.VarType.FP32
        True
    """
    need_variable("cast: x", x)
    try:
        out_dtype = dtype_attr(dtype)
    except EnforceNotMet as error:
        error.within("cast", [])
        raise
    return cast_op(x, in_dtype=int(x.dtype), out_dtype=out_dtype)


def assign(input: BaseVariable | np.ndarray, output: BaseVariable | None = None) -> BaseVariable:
    """A copy of a variable, or a numpy array as a constant of the program.

    Args:
        input: a variable, or an array of bool, float32, int32 or int64 with at most 1024 * 1024 elements.
        output: the variable that takes the copy; None for a new one.

    Returns:
        A variable of the shape and dtype of input.

    Example:
        >>> fluid.layers.assign(np.array([[1.0, 2.0]], "float32")).shape
        (1, 2)
    """
    outs = None if output is None else {"Out": output}
    if is_variable(input):
        return assigns.assign(input, outs=outs)
    if not isinstance(input, np.ndarray):
        raise ArgumentError(f"assign: input must be a Variable or a numpy array, got {type(input).__name__}")
    if input.size > _LARGEST:
        raise ArgumentError(f"assign: an array of at most {_LARGEST} elements fits into a program, got {input.size}")
    return assigns.assign_value(name=LayerName("assign"), outs=outs, **array_attrs(input))


def one_hot(input: BaseVariable, depth: int | BaseVariable, allow_out_of_range: bool = False) -> BaseVariable:
    """One-hot vectors: a one at the index, zeros elsewhere.

    Args:
        input: int32 or int64 indices [..., 1]; the last axis is replaced by the vectors.
        depth: the length of a vector, an int or an int32 variable [1].
        allow_out_of_range: an index outside [0, depth) gives zeros instead of an error.

    Returns:
        A float32 variable [..., depth]; no gradient flows through it.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.one_hot(fluid.dygraph.to_variable(np.array([[1], [0]])), depth=3).numpy().tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """
    return stopped(_one_hot(one_hots.one_hot, input, depth, allow_out_of_range))


def fluid_one_hot(input: BaseVariable, depth: int | BaseVariable, allow_out_of_range: bool = False) -> BaseVariable:
    """fluid.one_hot: one-hot vectors along a new last axis.

    Args:
        input: int32 or int64 indices of any shape.
        depth: the length of a vector, an int or an int32 variable [1].
        allow_out_of_range: an index outside [0, depth) gives zeros instead of an error.

    Returns:
        A float32 variable [*input.shape, depth].
    """
    return _one_hot(one_hots.one_hot_v2, input, depth, allow_out_of_range)


def _one_hot(op: OpDef, input: BaseVariable, depth: int | BaseVariable, allow_out_of_range: bool) -> BaseVariable:
    if is_variable(depth):
        return op(input, stopped(depth), allow_out_of_range=allow_out_of_range)
    return op(input, depth=integer("one_hot: depth", depth), allow_out_of_range=allow_out_of_range)


def topk(input: BaseVariable, k: int | BaseVariable, name: str | None = None) -> tuple[BaseVariable, BaseVariable]:
    """The k largest elements along the last axis, in descending order.

    Args:
        input: a variable [..., n] of any dtype.
        k: an int, or an int32 variable [1].

    Returns:
        (values, int64 indices), both [..., k]; no gradient flows through them.

    Example:
        >>> with fluid.dygraph.guard():
        ...     values, indices = fluid.layers.topk(fluid.dygraph.to_variable(np.array([[1.0, 9.0, 5.0]])), k=2)
        ...     values.numpy().tolist(), indices.numpy().tolist()
        ([[9.0, 5.0]], [[1, 2]])
    """
    if is_variable(k):
        values, indices = top_k(input, k, name=name)
    else:
        values, indices = top_k(input, name=name, k=integer("topk: k", k))
    return stopped(values), stopped(indices)


def argmax(x: BaseVariable, axis: int = 0) -> BaseVariable:
    """The index of the largest element along an axis; the axis is removed.

    Args:
        x: a numeric variable of any shape.
        axis: the axis; negative counts from the end.

    Returns:
        An int64 variable with one axis fewer; no gradient flows through it.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([[1.0, 9.0], [7.0, 5.0]]))
        ...     fluid.layers.argmax(x, axis=1).numpy().tolist()
        [1, 0]
    """
    return stopped(arg_max.arg_max(x, axis=axis))


def argmin(x: BaseVariable, axis: int = 0) -> BaseVariable:
    """The index of the smallest element along an axis; the axis is removed.

    Args:
        x: a numeric variable of any shape.
        axis: the axis; negative counts from the end.

    Returns:
        An int64 variable with one axis fewer; no gradient flows through it.
    """
    return stopped(arg_max.arg_min(x, axis=axis))


def argsort(
    input: BaseVariable, axis: int = -1, descending: bool = False, name: str | None = None
) -> tuple[BaseVariable, BaseVariable]:
    """The elements sorted along an axis, and their indices.

    Args:
        input: a variable of any dtype and shape.
        axis: the axis; negative counts from the end.
        descending: the largest first.

    Returns:
        (values, int64 indices), both of the shape of input; no gradient flows through them.

    Example:
        >>> with fluid.dygraph.guard():
        ...     values, indices = fluid.layers.argsort(fluid.dygraph.to_variable(np.array([3.0, 1.0, 2.0])))
        ...     values.numpy().tolist(), indices.numpy().tolist()
        ([1.0, 2.0, 3.0], [1, 2, 0])
    """
    values, indices = argsort_op(input, name=name, axis=axis, descending=descending)
    return stopped(values), stopped(indices)


def unique(x: BaseVariable, dtype: Dtype = "int32") -> tuple[BaseVariable, BaseVariable]:
    """The distinct elements of a vector in the order of their first occurrence.

    Args:
        x: a vector of any dtype.
        dtype: the dtype of the indices, int32 or int64.

    Returns:
        (the distinct elements, for every element of x its index among them).
    """
    return uniques.unique(x, dtype=_index_dtype("unique", dtype))


def unique_with_counts(x: BaseVariable, dtype: Dtype = "int32") -> tuple[BaseVariable, BaseVariable, BaseVariable]:
    """The distinct elements of a vector in the order of their first occurrence, with their counts.

    Args:
        x: a vector of any dtype.
        dtype: the dtype of the indices and counts, int32 or int64.

    Returns:
        (the distinct elements, for every element of x its index among them, the count of each distinct element).
    """
    return uniques.unique_with_counts(x, dtype=_index_dtype("unique_with_counts", dtype))


def _index_dtype(what: str, dtype: Dtype) -> int:
    kind = dtype_attr(dtype)
    if kind not in (VarType.INT32, VarType.INT64):
        raise DtypeError(f"{what}: dtype must be int32 or int64, got {dtype!r}")
    return kind


def shard_index(
    input: BaseVariable, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1
) -> BaseVariable:
    """Indices into one shard of a table that is divided into equal shards.

    Args:
        input: int64 indices [..., 1] into the whole table.
        index_num: the size of the whole table.
        nshards: the number of shards.
        shard_id: the shard, from 0.
        ignore_value: the result for indices of other shards.

    Returns:
        An int64 variable of the shape of input: index % shard size for indices of the shard.
    """
    need_variable("shard_index: input", input)
    if not 0 <= shard_id < nshards:
        raise ArgumentError(f"shard_index: shard_id must be in [0, {nshards}), got {shard_id}")
    return shard_index_op(input, index_num=index_num, nshards=nshards, shard_id=shard_id, ignore_value=ignore_value)


def merge_selected_rows(x: BaseVariable, name: str | None = None) -> BaseVariable:
    """A sparse gradient with every row once: the values of duplicate rows are added up.

    Args:
        x: a variable of type SELECTED_ROWS.

    Returns:
        A variable of type SELECTED_ROWS.
    """
    return selected_rows.merge_selected_rows(x, name=name)


def get_tensor_from_selected_rows(x: BaseVariable, name: str | None = None) -> BaseVariable:
    """The values of a sparse gradient without their row numbers.

    Args:
        x: a variable of type SELECTED_ROWS.

    Returns:
        A dense variable [number of rows, ...].
    """
    return selected_rows.get_tensor_from_selected_rows(x, name=name)
