"""Variables filled with numbers."""

from __future__ import annotations

from refluid.alpha.common import into
from refluid.core.dtypes import is_floating
from refluid.core.errors import DtypeError
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import count, integer, is_variable, need_variable, number
from refluid.layers.common import ShapeLike, dtype_attr
from refluid.layers.creation import check_device, fill_constant, filled
from refluid.ops.shape import diag as diags, fill_like, range as ranges


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
        shape: a list of ints and one-element variables, or a variable that holds the shape.
        fill_value: a number, or a variable of shape [1] and this dtype.
        out: the variable that takes the result; a new one if None.
        dtype: the dtype of the result; float32 if None.
        device: "cpu", "gpu" or None; the result is where it is read anyway.
        stop_gradient: whether gradients stop at the result.

    Returns:
        A variable of that shape and dtype.

    Example:
        >>> with fluid.dygraph.guard():
        ...     paddle.tensor.full([2, 2], 5, dtype="int64").numpy().tolist()
        [[5, 5], [5, 5]]
    """
    check_device("full", device)
    result = filled(LayerName("full", name), shape, "float32" if dtype is None else dtype, fill_value, out=out)
    result.stop_gradient = stop_gradient
    return result


def zeros(
    shape: ShapeLike, dtype: Dtype | None = None, out: BaseVariable | None = None, device: str | None = None
) -> BaseVariable:
    """A variable of zeros.

    Args:
        shape: a list of ints and one-element variables, or a variable that holds the shape.
        dtype: the dtype of the result; float32 if None.
        out: the variable that takes the result; a new one if None.
        device: "cpu", "gpu" or None; the result is where it is read anyway.

    Returns:
        A variable of that shape and dtype.
    """
    check_device("zeros", device)
    return fill_constant(shape, "float32" if dtype is None else dtype, 0.0, out=out)


def ones(
    shape: ShapeLike, dtype: Dtype | None = None, out: BaseVariable | None = None, device: str | None = None
) -> BaseVariable:
    """A variable of ones.

    Args:
        shape: a list of ints and one-element variables, or a variable that holds the shape.
        dtype: the dtype of the result; float32 if None.
        out: the variable that takes the result; a new one if None.
        device: "cpu", "gpu" or None; the result is where it is read anyway.

    Returns:
        A variable of that shape and dtype.
    """
    check_device("ones", device)
    return fill_constant(shape, "float32" if dtype is None else dtype, 1.0, out=out)


def full_like(
    input: BaseVariable,
    fill_value: float,
    out: BaseVariable | None = None,
    dtype: Dtype | None = None,
    device: str | None = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> BaseVariable:
    """A variable with the shape of input, filled with one number.

    Args:
        input: the variable whose shape is taken, of any dtype.
        fill_value: the number.
        out: the variable that takes the result; a new one if None.
        dtype: the dtype of the result; that of input if None.
        device: "cpu", "gpu" or None; the result is where it is read anyway.
        stop_gradient: whether gradients stop at the result.

    Returns:
        A variable with the shape of input.
    """
    return _like("full_like", input, fill_value, out, dtype, device, stop_gradient, name)


def zeros_like(
    input: BaseVariable, dtype: Dtype | None = None, device: str | None = None, name: str | None = None
) -> BaseVariable:
    """Zeros in the shape of input.

    Args:
        input: the variable whose shape is taken, of any dtype.
        dtype: the dtype of the result; that of input if None.
        device: "cpu", "gpu" or None; the result is where it is read anyway.

    Returns:
        A variable with the shape of input.
    """
    return _like("zeros_like", input, 0.0, None, dtype, device, True, name)


def ones_like(
    input: BaseVariable, dtype: Dtype | None = None, device: str | None = None, name: str | None = None
) -> BaseVariable:
    """Ones in the shape of input.

    Args:
        input: the variable whose shape is taken, of any dtype.
        dtype: the dtype of the result; that of input if None.
        device: "cpu", "gpu" or None; the result is where it is read anyway.

    Returns:
        A variable with the shape of input.
    """
    return _like("ones_like", input, 1.0, None, dtype, device, True, name)


def _like(
    what: str,
    input: BaseVariable,
    value: float,
    out: BaseVariable | None,
    dtype: Dtype | None,
    device: str | None,
    stop_gradient: bool,
    name: str | None,
) -> BaseVariable:
    check_device(what, device)
    need_variable(f"{what}: input", input)
    value = number(f"{what}: fill_value", value)
    kind = int(input.dtype) if dtype is None else dtype_attr(dtype)
    result = fill_like.fill_any_like(input, name=LayerName(what, name), outs=into(out), value=value, dtype=kind)
    result.stop_gradient = stop_gradient
    return result


def eye(
    num_rows: int,
    num_columns: int | None = None,
    out: BaseVariable | None = None,
    dtype: Dtype = "float32",
    stop_gradient: bool = True,
    name: str | None = None,
) -> BaseVariable:
    """A matrix with ones on the diagonal and zeros elsewhere.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns; num_rows if None.
        out: the variable that takes the result; a new one if None.
        dtype: the dtype of the result.
        stop_gradient: whether gradients stop at the result.

    Returns:
        A variable of shape [num_rows, num_columns].
    """
    rows = count("eye: num_rows", num_rows)
    columns = rows if num_columns is None else count("eye: num_columns", num_columns)
    result = diags.eye(
        name=LayerName("eye", name), outs=into(out), num_rows=rows, num_columns=columns, dtype=dtype_attr(dtype)
    )
    result.stop_gradient = stop_gradient
    return result


def linspace(
    start: float | BaseVariable,
    stop: float | BaseVariable,
    num: int | BaseVariable,
    dtype: Dtype,
    out: BaseVariable | None = None,
    device: str | None = None,
    name: str | None = None,
) -> BaseVariable:
    """`num` evenly spaced numbers from start to stop, both included.

    Args:
        start: the first number, or a float variable of shape [1].
        stop: the last number, or a float variable of shape [1].
        num: an int, or an int32 variable of shape [1].
        dtype: float32 or float64.
        out: the variable that takes the result; a new one if None.
        device: "cpu", "gpu" or None; the result is where it is read anyway.

    Returns:
        A variable of shape [num].
    """
    check_device("linspace", device)
    if not is_floating(dtype_attr(dtype)):
        raise DtypeError(f"linspace: dtype must be float32 or float64, got {dtype!r}")
    ends = [value if is_variable(value) else fill_constant([1], dtype, value) for value in (start, stop)]
    points = num if is_variable(num) else fill_constant([1], "int32", integer("linspace: num", num))
    return ranges.linspace(*ends, points, name=LayerName("linspace", name), outs=into(out))
