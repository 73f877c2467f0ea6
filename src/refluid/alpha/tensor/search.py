"""Orders and choices of elements."""

from __future__ import annotations

from typing import Any

from refluid.alpha.common import into
from refluid.core.dtypes import VarType, dtype_name
from refluid.core.errors import DtypeError, ShapeError
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable
from refluid.layers.common import dtype_attr
from refluid.layers.mixed import stopped
from refluid.layers.tensor import cast
from refluid.ops.math.broadcasting import broadcast_shape
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.shape import where as wheres
from refluid.ops.shape.arg_max import arg_max
from refluid.ops.shape.argsort import argsort as argsort_op
from refluid.ops.shape.fill_like import fill_any_like


def argmax(
    input: BaseVariable,
    axis: int | None = None,
    dtype: Dtype | None = None,
    out: BaseVariable | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> BaseVariable:
    """The index of the largest element along an axis.

    Args:
        input: a numeric variable of any shape.
        axis: the axis; the last one if None.
        dtype: the dtype of the index, int32 or int64; int64 if None.
        out: the variable that takes the result; a new one if None.
        keepdims: keep the axis, with size 1.

    Returns:
        An integer variable without the axis.
    """
    attrs: dict[str, Any] = {"axis": -1 if axis is None else axis, "keepdims": keepdims}
    if dtype is not None:
        attrs["dtype"] = dtype_attr(dtype)
        if attrs["dtype"] not in (VarType.INT32, VarType.INT64):
            raise DtypeError(f"argmax: dtype must be int32 or int64, got {dtype!r}")
    return stopped(arg_max(input, name=LayerName("arg_max", name), outs=into(out), **attrs))


def argsort(
    input: BaseVariable, axis: int = -1, descending: bool = False, name: str | None = None
) -> tuple[BaseVariable, BaseVariable]:
    """Sort along an axis, with the indices of the sorted elements.

    Args:
        input: a variable of any dtype and shape.
        axis: the axis to sort along.
        descending: sort in descending order.

    Returns:
        (sorted values, int64 indices), each with the shape of input.
    """
    values, indices = argsort_op(input, name=name, axis=axis, descending=descending)
    return values, stopped(indices)


def sort(
    input: BaseVariable,
    axis: int = -1,
    descending: bool = False,
    out: BaseVariable | None = None,
    name: str | None = None,
) -> tuple[BaseVariable, BaseVariable]:
    """Sort along an axis.

    Args:
        input: a variable of any dtype and shape.
        axis: the axis to sort along.
        descending: sort in descending order.
        out: the variable that takes the sorted values; a new one if None.

    Returns:
        (sorted values, int64 indices), each with the shape of input.
    """
    layer = LayerName("sort", name)
    values, indices = argsort_op(input, name=layer, outs=into(out), axis=axis, descending=descending)
    return values, stopped(indices)


def where(condition: BaseVariable, x: BaseVariable, y: BaseVariable, name: str | None = None) -> BaseVariable:
    """x where condition holds, y elsewhere.

    Args:
        condition: a bool variable of any shape.
        x: a variable of any dtype and shape.
        y: a variable of the dtype of x. All three have one shape, or broadcast to one.

    Returns:
        A variable of that shape.
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
