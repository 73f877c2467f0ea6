"""Orders and choices of elements."""

from __future__ import annotations

from typing import Any

from refluid.alpha.common import into
from refluid.core.dtypes import VarType, dtype_name
from refluid.core.errors import DtypeError, ShapeError
from refluid.core.naming import LayerName
from refluid.layers.common import dtype_attr
from refluid.layers.numbers import need_variable, stopped
from refluid.layers.tensor import cast
from refluid.ops.math.broadcasting import broadcast_shape
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.shape import where as wheres
from refluid.ops.shape.arg_max import arg_max
from refluid.ops.shape.argsort import argsort as argsort_op
from refluid.ops.shape.fill_like import fill_any_like


def argmax(
    input: Any,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """The index of the largest element along an axis.

    Args:
        axis: the last one unless given.
        dtype: of the index, int32 or int64; int64 unless given.
        out: the variable that takes the result, if it is not to be a new one.
        keepdims: keep the axis, with size 1.
    """
    attrs: dict[str, Any] = {"axis": -1 if axis is None else axis, "keepdims": keepdims}
    if dtype is not None:
        attrs["dtype"] = dtype_attr(dtype)
        if attrs["dtype"] not in (VarType.INT32, VarType.INT64):
            raise DtypeError(f"argmax: dtype must be int32 or int64, got {dtype!r}")
    return stopped(arg_max(input, name=LayerName("arg_max", name), outs=into(out), **attrs))


def argsort(input: Any, axis: int = -1, descending: bool = False, name: str | None = None) -> Any:
    """The elements in order along an axis, and where they were.

    Returns:
        (values, int64 indices).
    """
    values, indices = argsort_op(input, name=name, axis=axis, descending=descending)
    return values, stopped(indices)


def sort(input: Any, axis: int = -1, descending: bool = False, out: Any = None, name: str | None = None) -> Any:
    """The elements in order along an axis.

    Args:
        out: the variable that takes the sorted elements, if it is not to be a new one.
    Returns:
        (values, int64 indices).
    """
    layer = LayerName("sort", name)
    values, indices = argsort_op(input, name=layer, outs=into(out), axis=axis, descending=descending)
    return values, stopped(indices)


def where(condition: Any, x: Any, y: Any, name: str | None = None) -> Any:
    """x where condition holds, and y elsewhere.

    Args:
        condition: bool.
        x, y: variables of one dtype. All three have one shape, or broadcast to one.
    """
    for what, value in (("condition", condition), ("x", x), ("y", y)):
        need_variable(f"where: {what}", value)
    if x.dtype != y.dtype:
        raise DtypeError(f"where: x and y must have one dtype, got {dtype_name(x.dtype)} and {dtype_name(y.dtype)}")
    try:
        broadcast_shape(condition.shape, broadcast_shape(x.shape, y.shape, -1), -1)
    except ShapeError:
        shapes = f"{list(condition.shape)}, {list(x.shape)} and {list(y.shape)}"
        raise ShapeError(f"where: condition, x and y must broadcast to one shape, got {shapes}") from None
    layer = LayerName("where", name)
    if not tuple(condition.shape) == tuple(x.shape) == tuple(y.shape):
        chosen = cast(condition, x.dtype)
        zeros = elementwise_add(elementwise_add(fill_any_like(x), fill_any_like(y)), fill_any_like(chosen))
        x, y = elementwise_add(x, zeros, name=layer), elementwise_add(y, zeros, name=layer)
        condition = cast(elementwise_add(chosen, zeros, name=layer), "bool")
    return wheres.where(condition, x, y, name=layer)
