"""Variables made from numbers: constants, ranges, identity and triangular matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from refluid.core.dtypes import VarType, is_floating
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.naming import LayerName, OwnConstants, OwnName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.ir.variable import Variable
from refluid.layers.checks import count, integer, ints, is_variable, need_variable, number, truncated
from refluid.layers.common import ShapeLike, as_list, dtype_attr
from refluid.layers.mixed import mixed, stopped
from refluid.layers.shape import stack
from refluid.layers.tensor import assign, cast
from refluid.ops.shape import diag as diags, fill_constant as fills, fill_like, range as ranges, tril_triu


def fill_constant(
    shape: ShapeLike,
    dtype: Dtype,
    value: float | BaseVariable,
    force_cpu: bool = False,
    out: BaseVariable | None = None,
) -> BaseVariable:
    """A variable filled with one number.

    Args:
        shape: a list of ints and one-element variables, or an int variable that holds the shape.
        dtype: the dtype of the result.
        value: a number, or a variable [1] of this dtype.
        force_cpu: kept as an attribute of the operator; the result is where it is read.
        out: the variable that takes the result; None for a new one.

    Returns:
        A variable of this shape and dtype; no gradient flows through it.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.fill_constant([2, 2], "int64", 7).numpy().tolist()
        [[7, 7], [7, 7]]
    """
    return filled(LayerName("fill_constant"), shape, dtype, value, force_cpu, out)


def filled(
    layer: LayerName,
    shape: ShapeLike,
    dtype: Dtype,
    value: float | BaseVariable,
    force_cpu: bool = False,
    out: BaseVariable | None = None,
) -> BaseVariable:
    """`fill_constant` as part of another layer, whose name the result has."""
    kind = dtype_attr(dtype)
    attrs: dict[str, Any] = {"dtype": kind, "force_cpu": force_cpu}
    if not is_variable(value):
        attrs.update(number_attrs(kind, value))
    sizes, variables = None, None
    if is_variable(shape):
        sizes = stopped(shape)
    else:
        if any(isinstance(size, Variable) for size in as_list(shape)):
            str(layer)  # Fluid: the layer has its name before the constants for its sizes
        attrs["shape"], variables = mixed(
            f"{layer.layer_type}: shape", truncated(shape), OwnConstants(layer.layer_type)
        )
    tensor = value if is_variable(value) else None
    outs = None if out is None else {"Out": out}
    return stopped(fills.fill_constant(tensor, sizes, variables, name=layer, outs=outs, **attrs))


def number_attrs(kind: int, value: float) -> dict[str, Any]:
    """A number as `value` (32 bits in files) and as `str_value`, which keeps all its digits."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    whole = kind in (VarType.INT32, VarType.INT64)
    try:
        return {"value": float(value), "str_value": str(int(value)) if whole else str(float(value))}
    except (TypeError, ValueError):
        raise ArgumentError(f"fill_constant: value must be a number or a Variable, got {value!r:.60}") from None


def fill_constant_batch_size_like(
    input: BaseVariable,
    shape: Sequence[int],
    dtype: Dtype,
    value: float,
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    force_cpu: bool = False,
) -> BaseVariable:
    """A variable filled with one number, with one axis as long as an axis of `input`, usually the batch.

    Args:
        input: the variable whose size is copied, of any dtype and shape.
        shape: the shape of the result; the number at output_dim_idx is ignored.
        dtype: the dtype of the result.
        value: the number.
        input_dim_idx: the axis of input.
        output_dim_idx: the axis of the result.
        force_cpu: kept as an attribute of the operator; the result is where it is read.

    Returns:
        A variable of this shape and dtype; no gradient flows through it.

    Example:
        >>> x = fluid.data("x", [None, 13])
        >>> fluid.layers.fill_constant_batch_size_like(x, [-1, 4], "float32", 0.0).shape
        (-1, 4)
    """
    kind = dtype_attr(dtype)
    return stopped(
        fills.fill_constant_batch_size_like(
            input, shape=ints("fill_constant_batch_size_like: shape", shape), dtype=kind, force_cpu=force_cpu,
            input_dim_idx=input_dim_idx, output_dim_idx=output_dim_idx, **number_attrs(kind, value),
        )
    )  # fmt: skip


def zeros(shape: ShapeLike, dtype: Dtype, force_cpu: bool = False) -> BaseVariable:
    """A variable of zeros.

    Args:
        shape: a list of ints and one-element variables, or an int variable that holds the shape.
        dtype: the dtype of the result.
        force_cpu: kept as an attribute of the operator; the result is where it is read.

    Returns:
        A variable of this shape and dtype; no gradient flows through it.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.zeros([2], "float32").numpy()
        array([0., 0.], dtype=float32)
    """
    return fill_constant(shape, dtype, 0.0, force_cpu)


def ones(shape: ShapeLike, dtype: Dtype, force_cpu: bool = False) -> BaseVariable:
    """A variable of ones.

    Args:
        shape: a list of ints and one-element variables, or an int variable that holds the shape.
        dtype: the dtype of the result.
        force_cpu: kept as an attribute of the operator; the result is where it is read.

    Returns:
        A variable of this shape and dtype; no gradient flows through it.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.ones([2], "float32").numpy()
        array([1., 1.], dtype=float32)
    """
    return fill_constant(shape, dtype, 1.0, force_cpu)


def zeros_like(x: BaseVariable, out: BaseVariable | None = None) -> BaseVariable:
    """Zeros with the shape and dtype of another variable.

    Args:
        x: a variable of any dtype and shape.
        out: the variable that takes the result; None for a new one.

    Returns:
        A variable of the shape and dtype of x; no gradient flows through it.
    """
    outs = None if out is None else {"Out": out}
    return stopped(fill_like.fill_zeros_like(x, name=LayerName("zeros_like"), outs=outs))


def ones_like(x: BaseVariable, out: BaseVariable | None = None) -> BaseVariable:
    """Ones with the shape and dtype of another variable.

    Args:
        x: a variable of any dtype and shape.
        out: the variable that takes the result; None for a new one.

    Returns:
        A variable of the shape and dtype of x.
    """
    outs = None if out is None else {"Out": out}
    return fill_like.fill_any_like(x, name=LayerName("ones_like"), outs=outs, value=1.0)


def full(
    shape: ShapeLike,
    fill_value: float | BaseVariable,
    out: BaseVariable | None = None,
    dtype: Dtype | None = None,
    device: str | None = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> BaseVariable:
    """A variable filled with one number.

    Args:
        shape: a list of ints and one-element variables, or an int variable that holds the shape.
        fill_value: a number, or a variable [1] of this dtype.
        out: the variable that takes the result; None for a new one.
        dtype: the dtype of the result; None for float32.
        device: "cpu", "gpu" or None; the result is where it is read.
        stop_gradient: accepted; no gradient flows through a constant.

    Returns:
        A variable of this shape and dtype.
    """
    check_device("full", device)
    return filled(LayerName("full", name), shape, "float32" if dtype is None else dtype, fill_value, out=out)


def full_like(
    input: BaseVariable,
    fill_value: float,
    out: BaseVariable | None = None,
    dtype: Dtype | None = None,
    device: str | None = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> BaseVariable:
    """A variable of the shape of another, filled with one number.

    Args:
        input: a variable of any dtype and shape.
        fill_value: a number.
        out: the variable that takes the result; None for a new one.
        dtype: the dtype of the result; None for that of input.
        device: "cpu", "gpu" or None; the result is where it is read.
        stop_gradient: whether gradients stop at the result.

    Returns:
        A variable of the shape of input.
    """
    need_variable("full_like: input", input)
    check_device("full_like", device)
    outs = None if out is None else {"Out": out}
    kind = int(input.dtype) if dtype is None else dtype_attr(dtype)
    out = fill_like.fill_any_like(
        input,
        name=LayerName("full_like", name),
        outs=outs,
        value=number("full_like: fill_value", fill_value),
        dtype=kind,
    )
    out.stop_gradient = stop_gradient
    return out


def check_device(what: str, device: str | None) -> None:
    """Refuse a device that is not "cpu", "gpu" or None."""
    if device not in (None, "cpu", "gpu"):
        raise ArgumentError(f"{what}: device must be 'cpu', 'gpu' or None, got {device!r}")


def range(
    start: float | BaseVariable, end: float | BaseVariable, step: float | BaseVariable, dtype: Dtype
) -> BaseVariable:
    """The numbers start, start + step, ... below end (above it for a negative step).

    Args:
        start: the first number, a number or a numeric variable [1].
        end: the excluded bound, likewise.
        step: the increment, likewise.
        dtype: the dtype of the result; variables of another dtype are cast.

    Returns:
        A vector; no gradient flows through it.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.range(0, 10, 3, "int64").numpy().tolist()
        [0, 3, 6, 9]
    """
    return _range(LayerName("range"), start, end, step, dtype)


def _range(
    layer: LayerName, start: float | BaseVariable, end: float | BaseVariable, step: float | BaseVariable, dtype: Dtype
) -> BaseVariable:
    bounds = [_as_variable(bound, dtype) for bound in (start, end, step)]
    return stopped(ranges.range(*bounds, name=layer))


def _as_variable(number: float | BaseVariable, dtype: Dtype) -> BaseVariable:
    if not is_variable(number):
        return fill_constant([1], dtype, number)
    return number if int(number.dtype) == dtype_attr(dtype) else cast(number, dtype)


def arange(
    start: float | BaseVariable,
    end: float | BaseVariable,
    step: float | BaseVariable = 1,
    dtype: Dtype | None = None,
    name: str | None = None,
) -> BaseVariable:
    """The numbers start, start + step, ... below end (above it for a negative step).

    Args:
        start: the first number, a number or a numeric variable [1].
        end: the excluded bound, likewise.
        step: the increment, likewise.
        dtype: the dtype of the result; None for float32.

    Returns:
        A vector; no gradient flows through it.
    """
    return _range(LayerName("range", name), start, end, step, "float32" if dtype is None else dtype)


def linspace(
    start: float | BaseVariable, stop: float | BaseVariable, num: int | BaseVariable, dtype: Dtype
) -> BaseVariable:
    """`num` equally spaced numbers from start to stop, both included.

    Args:
        start: the first number, a number or a float variable [1].
        stop: the last number, likewise.
        num: an int, or an int32 variable [1].
        dtype: float32 or float64.

    Returns:
        A vector [num].
    """
    if not is_floating(dtype_attr(dtype)):
        raise DtypeError(f"linspace: dtype must be float32 or float64, got {dtype!r}")
    ends = [value if is_variable(value) else fill_constant([1], dtype, value) for value in (start, stop)]
    count = num if is_variable(num) else fill_constant([1], "int32", num)
    return ranges.linspace(*ends, count)


def eye(
    num_rows: int, num_columns: int | None = None, batch_shape: Sequence[int] | None = None, dtype: Dtype = "float32"
) -> BaseVariable:
    """The identity matrix: ones on the main diagonal, zeros elsewhere.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns; None for as many as rows.
        batch_shape: leading axes along which the matrix is repeated; None for none.
        dtype: the dtype of the result.

    Returns:
        A variable [*batch_shape, num_rows, num_columns]; no gradient flows through it.
    """
    rows = count("eye: num_rows", num_rows)
    columns = rows if num_columns is None else count("eye: num_columns", num_columns)
    out = stopped(diags.eye(num_rows=rows, num_columns=columns, dtype=dtype_attr(dtype)))
    if batch_shape is not None:
        sizes = ints("eye: batch_shape", batch_shape)
        if any(size <= 0 for size in sizes):
            raise ArgumentError(f"eye: batch_shape must hold positive sizes, got {batch_shape!r}")
        for size in reversed(sizes):
            out = stack([out] * size, axis=0)
    return out


def diag(diagonal: BaseVariable | np.ndarray) -> BaseVariable:
    """A square matrix with a vector on its diagonal.

    Args:
        diagonal: a vector [n], a variable or a numpy array.

    Returns:
        A variable [n, n]; no gradient flows through it.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.diag(np.array([3, 4])).numpy().tolist()
        [[3, 0], [0, 4]]
    """
    vector = diagonal if is_variable(diagonal) else assign(diagonal)
    return stopped(diags.diag(vector))


def diag_embed(input: BaseVariable | np.ndarray, offset: int = 0, dim1: int = -2, dim2: int = -1) -> BaseVariable:
    """Matrices with the last axis of input on their diagonals.

    Args:
        input: a variable or a numpy array [..., n].
        offset: the diagonal; 0 the main one, positive above it, negative below it.
        dim1: the axis of the rows in the result.
        dim2: the axis of the columns in the result.

    Returns:
        A variable with one more axis; no gradient flows through it.
    """
    vectors = input if is_variable(input) else assign(input)
    return stopped(diags.diag_embed(vectors, offset=offset, dim1=dim1, dim2=dim2))


def tril(input: BaseVariable, diagonal: int = 0, name: str | None = None) -> BaseVariable:
    """The lower triangle of matrices, with zeros above a diagonal.

    Args:
        input: a variable [..., M, N] of any dtype.
        diagonal: the last diagonal that is kept; 0 the main one, positive above it, negative below it.

    Returns:
        A variable of the shape and dtype of input.
    """
    return _triangle("tril", input, diagonal, name, True)


def triu(input: BaseVariable, diagonal: int = 0, name: str | None = None) -> BaseVariable:
    """The upper triangle of matrices, with zeros below a diagonal.

    Args:
        input: a variable [..., M, N] of any dtype.
        diagonal: the first diagonal that is kept; 0 the main one, positive above it, negative below it.

    Returns:
        A variable of the shape and dtype of input.
    """
    return _triangle("triu", input, diagonal, name, False)


def _triangle(kind: str, input: BaseVariable, diagonal: int, name: str | None, lower: bool) -> BaseVariable:
    diagonal = integer(f"{kind}: diagonal", diagonal)
    return tril_triu.tril_triu(input, name=OwnName(kind, name), diagonal=diagonal, lower=lower)
