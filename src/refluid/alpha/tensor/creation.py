"""Variables filled with numbers."""

from __future__ import annotations

from typing import Any

from refluid.alpha.common import into
from refluid.core.dtypes import is_floating
from refluid.core.errors import DtypeError
from refluid.core.naming import LayerName
from refluid.layers.common import dtype_attr
from refluid.layers.creation import check_device, fill_constant, filled
from refluid.layers.numbers import count, is_variable, need_variable, number, whole
from refluid.ops.shape import diag as diags, fill_like, range as ranges


def full(
    shape: Any,
    fill_value: Any,
    out: Any = None,
    dtype: Any = None,
    device: str | None = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> Any:
    """A variable filled with one number.

    Args:
        shape: a list of ints and one-element variables, or a variable that holds the shape.
        fill_value: a number, or a variable [1].
        out: the variable that takes the result, if it is not to be a new one.
        dtype: float32 unless given.
        device: "cpu", "gpu" or None; the result is where it is read anyway.
        stop_gradient: whether gradients end here.
    """
    check_device("full", device)
    made = filled(LayerName("full", name), shape, "float32" if dtype is None else dtype, fill_value, out=out)
    made.stop_gradient = stop_gradient
    return made


def zeros(shape: Any, dtype: Any = None, out: Any = None, device: str | None = None) -> Any:
    """A variable of zeros; float32 unless told otherwise. The arguments are those of `full`."""
    check_device("zeros", device)
    return fill_constant(shape, "float32" if dtype is None else dtype, 0.0, out=out)


def ones(shape: Any, dtype: Any = None, out: Any = None, device: str | None = None) -> Any:
    """A variable of ones; float32 unless told otherwise. The arguments are those of `full`."""
    check_device("ones", device)
    return fill_constant(shape, "float32" if dtype is None else dtype, 1.0, out=out)


def full_like(
    input: Any,
    fill_value: float,
    out: Any = None,
    dtype: Any = None,
    device: str | None = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> Any:
    """A variable of the shape of input, filled with one number; of its dtype unless told otherwise."""
    return _like("full_like", input, fill_value, out, dtype, device, stop_gradient, name)


def zeros_like(input: Any, dtype: Any = None, device: str | None = None, name: str | None = None) -> Any:
    """Zeros in the shape of input; of its dtype unless told otherwise."""
    return _like("zeros_like", input, 0.0, None, dtype, device, True, name)


def ones_like(input: Any, dtype: Any = None, device: str | None = None, name: str | None = None) -> Any:
    """Ones in the shape of input; of its dtype unless told otherwise."""
    return _like("ones_like", input, 1.0, None, dtype, device, True, name)


def _like(
    what: str, input: Any, value: float, out: Any, dtype: Any, device: Any, stop_gradient: bool, name: str | None
) -> Any:
    check_device(what, device)
    need_variable(f"{what}: input", input)
    value = number(f"{what}: fill_value", value)
    kind = int(input.dtype) if dtype is None else dtype_attr(dtype)
    made = fill_like.fill_any_like(input, name=LayerName(what, name), outs=into(out), value=value, dtype=kind)
    made.stop_gradient = stop_gradient
    return made


def eye(
    num_rows: int,
    num_columns: int | None = None,
    out: Any = None,
    dtype: Any = "float32",
    stop_gradient: bool = True,
    name: str | None = None,
) -> Any:
    """Ones on the diagonal of a matrix, zeros elsewhere.

    Args:
        num_columns: as many as rows unless given.
        out: the variable that takes the result, if it is not to be a new one.
        stop_gradient: whether gradients end here.
    """
    rows = count("eye: num_rows", num_rows)
    columns = rows if num_columns is None else count("eye: num_columns", num_columns)
    made = diags.eye(
        name=LayerName("eye", name), outs=into(out), num_rows=rows, num_columns=columns, dtype=dtype_attr(dtype)
    )
    made.stop_gradient = stop_gradient
    return made


def linspace(
    start: Any, stop: Any, num: Any, dtype: Any, out: Any = None, device: str | None = None, name: str | None = None
) -> Any:
    """`num` numbers from start to stop, both among them, at equal distances.

    Args:
        start, stop: numbers or variables [1].
        num: an int or an int32 variable [1].
        dtype: float32 or float64.
        out: the variable that takes the result, if it is not to be a new one.
        device: "cpu", "gpu" or None; the result is where it is read anyway.
    """
    check_device("linspace", device)
    if not is_floating(dtype_attr(dtype)):
        raise DtypeError(f"linspace: dtype must be float32 or float64, got {dtype!r}")
    ends = [value if is_variable(value) else fill_constant([1], dtype, value) for value in (start, stop)]
    points = num if is_variable(num) else fill_constant([1], "int32", whole("linspace: num", num))
    return ranges.linspace(*ends, points, name=LayerName("linspace", name), outs=into(out))
