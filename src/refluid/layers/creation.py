"""Variables filled with numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core.dtypes import VarType, is_floating
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.naming import LayerName
from refluid.ir.variable import Variable
from refluid.layers.common import as_list, dtype_attr
from refluid.layers.numbers import (
    OwnConstants,
    count,
    cut_off,
    ints,
    is_variable,
    mixed,
    need_variable,
    number,
    stopped,
    whole,
)
from refluid.layers.shape import stack
from refluid.layers.tensor import assign, cast
from refluid.ops.shape import diag as diags, fill_constant as fills, fill_like, range as ranges, tril_triu


def fill_constant(shape: Any, dtype: Any, value: Any, force_cpu: bool = False, out: Any = None) -> Any:
    """A variable filled with one number.

    Args:
        shape: a list of ints and one-element variables, or a variable that holds the shape.
        value: a number, or a variable [1].
        force_cpu: kept in the operator; the result is where it is read anyway.
        out: the variable that takes the result, if it is not to be a new one.
    Returns:
        A variable through which no gradient goes.
    """
    return filled(LayerName("fill_constant"), shape, dtype, value, force_cpu, out)


def filled(layer: LayerName, shape: Any, dtype: Any, value: Any, force_cpu: bool = False, out: Any = None) -> Any:
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
        attrs["shape"], variables = mixed(f"{layer.layer_type}: shape", cut_off(shape), OwnConstants(layer.layer_type))
    tensor = value if is_variable(value) else None
    outs = None if out is None else {"Out": out}
    return stopped(fills.fill_constant(tensor, sizes, variables, name=layer, outs=outs, **attrs))


def number_attrs(kind: int, value: Any) -> dict[str, Any]:
    """A number as `value` (32 bits in files) and as `str_value`, which keeps all its digits."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    whole = kind in (VarType.INT32, VarType.INT64)
    try:
        return {"value": float(value), "str_value": str(int(value)) if whole else str(float(value))}
    except (TypeError, ValueError):
        raise ArgumentError(f"fill_constant: value must be a number or a Variable, got {value!r:.60}") from None


def fill_constant_batch_size_like(
    input: Any,
    shape: Any,
    dtype: Any,
    value: Any,
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    force_cpu: bool = False,
) -> Any:
    """A variable filled with one number, one axis of which is as long as one of `input`.

    Args:
        shape: the number at output_dim_idx does not matter.
        input_dim_idx, output_dim_idx: the axis of input and the axis of the result.
    Returns:
        A variable through which no gradient goes.
    """
    kind = dtype_attr(dtype)
    return stopped(
        fills.fill_constant_batch_size_like(
            input, shape=ints("fill_constant_batch_size_like: shape", shape), dtype=kind, force_cpu=force_cpu,
            input_dim_idx=input_dim_idx, output_dim_idx=output_dim_idx, **number_attrs(kind, value),
        )
    )  # fmt: skip


def zeros(shape: Any, dtype: Any, force_cpu: bool = False) -> Any:
    """A variable of zeros."""
    return fill_constant(shape, dtype, 0.0, force_cpu)


def ones(shape: Any, dtype: Any, force_cpu: bool = False) -> Any:
    """A variable of ones."""
    return fill_constant(shape, dtype, 1.0, force_cpu)


def zeros_like(x: Any, out: Any = None) -> Any:
    """Zeros with the shape and dtype of x.

    Args:
        out: the variable that takes the result, if it is not to be a new one.
    """
    outs = None if out is None else {"Out": out}
    return stopped(fill_like.fill_zeros_like(x, name=LayerName("zeros_like"), outs=outs))


def ones_like(x: Any, out: Any = None) -> Any:
    """Ones with the shape and dtype of x.

    Args:
        out: the variable that takes the result, if it is not to be a new one.
    """
    outs = None if out is None else {"Out": out}
    return fill_like.fill_any_like(x, name=LayerName("ones_like"), outs=outs, value=1.0)


def full(
    shape: Any,
    fill_value: Any,
    out: Any = None,
    dtype: Any = None,
    device: str | None = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> Any:
    """A variable filled with one number; float32 unless told otherwise.

    Args:
        device: "cpu", "gpu" or None; the result is where it is read anyway.
    """
    check_device("full", device)
    return filled(LayerName("full", name), shape, "float32" if dtype is None else dtype, fill_value, out=out)


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
    need_variable("full_like: input", input)
    check_device("full_like", device)
    outs = None if out is None else {"Out": out}
    kind = int(input.dtype) if dtype is None else dtype_attr(dtype)
    made = fill_like.fill_any_like(
        input,
        name=LayerName("full_like", name),
        outs=outs,
        value=number("full_like: fill_value", fill_value),
        dtype=kind,
    )
    made.stop_gradient = stop_gradient
    return made


def check_device(what: str, device: Any) -> None:
    if device not in (None, "cpu", "gpu"):
        raise ArgumentError(f"{what}: device must be 'cpu', 'gpu' or None, got {device!r}")


def range(start: Any, end: Any, step: Any, dtype: Any) -> Any:
    """The numbers from start up to, but without, end in equal steps.

    Args:
        start, end, step: numbers or variables [1]; step may be negative.
        dtype: of the result; variables of another dtype are cast.
    """
    return _range(LayerName("range"), start, end, step, dtype)


def _range(layer: LayerName, start: Any, end: Any, step: Any, dtype: Any) -> Any:
    made = [_as_variable(number, dtype) for number in (start, end, step)]
    return stopped(ranges.range(*made, name=layer))


def _as_variable(number: Any, dtype: Any) -> Any:
    if not is_variable(number):
        return fill_constant([1], dtype, number)
    return number if int(number.dtype) == dtype_attr(dtype) else cast(number, dtype)


def arange(start: Any, end: Any, step: Any = 1, dtype: Any = None, name: str | None = None) -> Any:
    """The numbers from start up to, but without, end in equal steps; float32 unless told otherwise."""
    return _range(LayerName("range", name), start, end, step, "float32" if dtype is None else dtype)


def linspace(start: Any, stop: Any, num: Any, dtype: Any) -> Any:
    """`num` numbers from start to stop, both among them, at equal distances.

    Args:
        start, stop: numbers or variables [1].
        num: an int or an int32 variable [1].
        dtype: float32 or float64.
    """
    if not is_floating(dtype_attr(dtype)):
        raise DtypeError(f"linspace: dtype must be float32 or float64, got {dtype!r}")
    ends = [value if is_variable(value) else fill_constant([1], dtype, value) for value in (start, stop)]
    count = num if is_variable(num) else fill_constant([1], "int32", num)
    return ranges.linspace(*ends, count)


def eye(num_rows: int, num_columns: int | None = None, batch_shape: Any = None, dtype: Any = "float32") -> Any:
    """Ones on the diagonal of a matrix, zeros elsewhere.

    Args:
        num_columns: as many as rows unless given.
        batch_shape: the axes before the matrix, a list of ints.
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


def diag(diagonal: Any) -> Any:
    """A square matrix with the elements of a vector (a variable or a numpy array) on its diagonal."""
    vector = diagonal if is_variable(diagonal) else assign(diagonal)
    return stopped(diags.diag(vector))


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with the last axis of input on their diagonals.

    Args:
        offset: how far above the main diagonal.
        dim1, dim2: the axes of the result that hold the matrices.
    """
    vectors = input if is_variable(input) else assign(input)
    return stopped(diags.diag_embed(vectors, offset=offset, dim1=dim1, dim2=dim2))


def tril(input: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """The last two axes with zeros above a diagonal, `diagonal` places above the main one."""
    return _triangle("tril", input, diagonal, name, True)


def triu(input: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """The last two axes with zeros below a diagonal, `diagonal` places above the main one."""
    return _triangle("triu", input, diagonal, name, False)


def _triangle(kind: str, input: Any, diagonal: int, name: str | None, lower: bool) -> Any:
    diagonal = whole(f"{kind}: diagonal", diagonal)
    return tril_triu.tril_triu(input, name=OwnName(kind, name), diagonal=diagonal, lower=lower)


class OwnName(LayerName):
    """Names the one result of a call after the call itself: `tril_0`, or just as the user says."""

    def tmp(self) -> str:
        return str(self)
