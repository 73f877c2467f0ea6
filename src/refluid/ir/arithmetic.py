"""What `x + 10`, `x < y`, `x[0]` and `x[1:3, ::2]` mean, for variables of both modes.

Operators with a number become `scale` where Fluid does so; others make the number a constant first. A variable has
`shape` (with -1 while unknown), `dtype` (a VarType) and is what the current mode takes as an input.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core import dtypes, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, ShapeError
from refluid.ops import registry

_NUMBERS = (int, float, bool, np.integer, np.floating, np.bool_)
_FOREVER = 10_000_000  # Fluid's "to the end" of a slice that begins at the last element


class Arithmetic:
    """Mixin: operators of Python on variables."""

    shape: Any
    dtype: Any
    name: str

    def __add__(self, other: Any) -> Any:
        return _affine(self, 1.0, other) if _scales(self, other) else _binary("elementwise_add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _affine(self, 1.0, -other) if _scales(self, other) else _binary("elementwise_sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _affine(self, -1.0, other) if _scales(self, other) else _reversed("elementwise_sub", self, other)

    def __mul__(self, other: Any) -> Any:
        return _affine(self, other, 0.0) if _scales(self, other) else _binary("elementwise_mul", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if _scales(self, other) and dtypes.is_floating(self.dtype):
            if other == 0:
                raise ArgumentError(f"division of {self.name} by the number 0")
            return _affine(self, 1.0 / other, 0.0)
        return _binary("elementwise_div", self, other)

    __div__ = __truediv__

    def __rtruediv__(self, other: Any) -> Any:
        return _reversed("elementwise_div", self, other)

    __rdiv__ = __rtruediv__

    def __pow__(self, other: Any) -> Any:
        return _binary("elementwise_pow", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _reversed("elementwise_pow", self, other)

    def __floordiv__(self, other: Any) -> Any:
        return _binary("elementwise_floordiv", self, other)

    def __mod__(self, other: Any) -> Any:
        return _binary("elementwise_mod", self, other)

    def __matmul__(self, other: Any) -> Any:
        return registry.get("matmul")(self, other, name=TMP)

    def __neg__(self) -> Any:
        return _affine(self, -1.0, 0.0)

    def __lt__(self, other: Any) -> Any:
        return _binary("less_than", self, other)

    def __le__(self, other: Any) -> Any:
        return _binary("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return _binary("greater_than", self, other)

    def __ge__(self, other: Any) -> Any:
        return _binary("greater_equal", self, other)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, (Arithmetic, *_NUMBERS)):
            return NotImplemented  # `var in [None, 'x']` must go on working
        return _binary("equal", self, other)

    def __ne__(self, other: Any) -> Any:
        if not isinstance(other, (Arithmetic, *_NUMBERS)):
            return NotImplemented
        return _binary("not_equal", self, other)

    __hash__ = object.__hash__

    def astype(self, dtype: Any) -> Any:
        """The same values with another dtype."""
        to = dtypes.var_type(dtype)
        return registry.get("cast")(self, in_dtype=int(self.dtype), out_dtype=int(to), name=TMP)

    def __getitem__(self, item: Any) -> Any:
        return take(self, item)


def _scales(x: Any, other: Any) -> bool:
    """Whether a number can go into a `scale` operator as it is."""
    if not isinstance(other, _NUMBERS):
        return False
    if not dtypes.is_floating(x.dtype) and float(other) != int(other):
        raise DtypeError(f"{other} with {x.name}: {dtypes.dtype_name(x.dtype)} takes whole numbers; use astype first")
    return True


def _affine(x: Any, scale: Any, bias: Any) -> Any:
    return registry.get("scale")(x, scale=float(scale), bias=float(bias), bias_after_scale=True, name=TMP)


def _binary(op_type: str, x: Any, y: Any) -> Any:
    if isinstance(y, _NUMBERS):
        y = constant_like(x, y, [1])
    elif not isinstance(y, Arithmetic):
        if not isinstance(y, np.ndarray):
            raise ArgumentError(f"{op_type}: the other operand must be a variable or a number, got {type(y).__name__}")
        y = registry.get("assign_value")(name=TMP, **_array_attrs(y))
    if x.dtype != y.dtype:
        y = y.astype(x.dtype)
    # Fluid lines up at the batch axis when the second operand has one, at the last axis otherwise.
    axis = 0 if len(y.shape) and y.shape[0] == -1 else -1
    return registry.get(op_type)(x, y, axis=axis, name=TMP)


def _reversed(op_type: str, x: Any, number: Any) -> Any:
    """number OP x, where Fluid makes the number a tensor of x's shape."""
    if not isinstance(number, _NUMBERS):
        raise ArgumentError(f"{op_type}: the other operand must be a variable or a number, got {type(number).__name__}")
    if any(size < 0 for size in x.shape):
        attrs = {"shape": list(x.shape), "dtype": int(x.dtype), "value": float(number)}
        made = registry.get("fill_constant_batch_size_like")(x, name=TMP, **attrs)
    else:
        made = constant_like(x, number, list(x.shape))
    axis = 0 if len(x.shape) and x.shape[0] == -1 else -1
    return registry.get(op_type)(made, x, axis=axis, name=TMP)


def constant_like(x: Any, number: Any, shape: list[int]) -> Any:
    made = registry.get("fill_constant")(shape=shape, dtype=int(x.dtype), value=float(number), name=TMP)
    made.stop_gradient = True
    return made


def _array_attrs(array: np.ndarray) -> dict[str, Any]:
    kind = dtypes.var_type(array.dtype)
    slot = {VarType.FP32: "fp32_values", VarType.INT32: "int32_values", VarType.INT64: "int64_values"}.get(kind)
    if slot is None:
        raise DtypeError(f"a numpy operand must be float32, int32 or int64, got {array.dtype}")
    return {"shape": list(array.shape), "dtype": int(kind), slot: array.ravel().tolist()}


def take(x: Any, item: Any) -> Any:
    """x[item] for ints, slices with steps, Ellipsis, and one-element variables as ints."""
    items = list(item) if isinstance(item, tuple) else [item]
    if any(i is Ellipsis for i in items):
        at = next(n for n, i in enumerate(items) if i is Ellipsis)
        items[at : at + 1] = [slice(None)] * (len(x.shape) - len(items) + 1)
    if len(items) > len(x.shape):
        raise ShapeError(f"{x.name} has {len(x.shape)} axes, but {len(items)} indices were given")
    axes, starts, ends, steps, gone, reverse = [], [], [], [], [], []
    for axis, one in enumerate(items):
        if isinstance(one, Arithmetic):
            return _take_by_variable(x, axis, one, items)
        if isinstance(one, slice):
            start, end, step = one.start, one.stop, 1 if one.step is None else one.step
            if start is None and end is None and step == 1:
                continue
            if start is None and end is None and step == -1:
                reverse.append(axis)
                continue
            if step == 0:
                raise ArgumentError(f"{x.name}[...]: the step of a slice must not be 0")
            if start is None:
                start = 0 if step > 0 else _FOREVER
            if end is None:
                end = _FOREVER if step > 0 else -_FOREVER
        elif isinstance(one, (int, np.integer)) and not isinstance(one, bool):
            size = x.shape[axis]
            if size >= 0 and not -size <= one < size:
                raise IndexError(f"index {one} is out of range for axis {axis} of {x.name} {list(x.shape)}")
            start, end, step = int(one), int(one) + 1 if one != -1 else _FOREVER, 1
            gone.append(axis)
        else:
            raise ArgumentError(f"{x.name}[...]: an index must be an int or a slice, got {type(one).__name__}")
        axes.append(axis), starts.append(start), ends.append(end), steps.append(step)
    out = x
    if axes and any(step != 1 for step in steps):
        attrs = {"axes": axes, "starts": starts, "ends": ends, "strides": steps, "infer_flags": [1] * len(axes)}
        out = registry.get("strided_slice")(out, name=_Part(x, "_slice"), **attrs)
        if gone:
            out, _ = registry.get("squeeze2")(out, axes=gone, name=TMP)
    elif axes:
        attrs = {"axes": axes, "starts": starts, "ends": ends, "infer_flags": [1] * len(axes), "decrease_axis": gone}
        out = registry.get("slice")(out, name=_Part(x, "_slice"), **attrs)
    if reverse:
        out = registry.get("reverse")(out, axis=reverse, name=_Part(x, "_slice_reverse"))
    return out


def _take_by_variable(x: Any, axis: int, index: Any, items: list[Any]) -> Any:
    """One element along `axis`, the others as they are."""
    if len(items) > 1 and any(one != slice(None) for n, one in enumerate(items) if n != axis):
        raise ArgumentError(f"{x.name}[...]: an index that is a variable goes with full slices only")
    end = index + 1
    attrs = {"axes": [axis], "starts": [-1], "ends": [-1], "infer_flags": [-1], "decrease_axis": [axis]}
    return registry.get("slice")(x, None, None, [index], [end], name=_Part(x, "_slice"), **attrs)


class _Tmp:
    """Names the result of a Python operator: tmp_0."""

    def tmp(self) -> str:
        return unique_name.generate("tmp")


TMP = _Tmp()


class _Part:
    """Names a slice after what it is cut from: x_slice_0; asked for by the recorder alone."""

    __slots__ = ("suffix", "x")

    def __init__(self, x: Any, suffix: str):
        self.x, self.suffix = x, suffix

    def tmp(self) -> str:
        return unique_name.generate(self.x.name + self.suffix)
