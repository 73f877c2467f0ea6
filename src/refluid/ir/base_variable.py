"""BaseVariable: what variables of both modes share, and what `x + 10` and `x < y` mean; `x[1:3]` is in indexing.py.

Operators with a number become `scale` where Fluid does so; others make the number a constant first. Code that serves
both modes annotates its variables with BaseVariable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from refluid.core import dtypes
from refluid.core.callsite import called_function
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.naming import TMP
from refluid.core.types import Dtype
from refluid.ops.math import compare, elementwise
from refluid.ops.math.matmul import matmul
from refluid.ops.math.scale import scale
from refluid.ops.registry import OpDef
from refluid.ops.shape.assign import assign_value
from refluid.ops.shape.cast import cast
from refluid.ops.shape.fill_constant import fill_constant, fill_constant_batch_size_like

if TYPE_CHECKING:
    from typing_extensions import Self

    from refluid.ir.block import Block

_NUMBERS = (int, float, np.number, np.bool_)
_FLOATS = (VarType.FP32, VarType.FP64, VarType.FP16)

Operand: TypeAlias = "BaseVariable | float | np.number | np.bool_ | np.ndarray"
"""The other operand of an operator: a variable, a number or an array."""
V = TypeVar("V", bound="BaseVariable")


class BaseVariable:
    """A variable of a program (ir.variable.Variable) or of the imperative mode (eager.variable.VarBase)."""

    is_imperative = False
    stop_gradient: bool
    persistable: bool
    parts: Mapping[str, BaseVariable]  # of a normalised weight alone: its direction `v` and its lengths `g`

    if TYPE_CHECKING:  # the kinds make some of these attributes, others properties

        @property
        def name(self) -> str: ...
        @property
        def shape(self) -> Sequence[int]:
            """Its sizes; -1 where only a run tells."""

        @property
        def dtype(self) -> VarType: ...
        @property
        def type(self) -> VarType: ...
        @property
        def lod_level(self) -> int: ...
        @property
        def block(self) -> Block: ...

    __array_priority__ = 1000  # numpy leaves `array * variable` to us

    def __add__(self, other: Operand) -> Self:
        if isinstance(other, (int, float)):
            return scale(self, bias=_whole(self, other), name=TMP)
        return _binary(elementwise.elementwise_add, self, other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Self:
        if isinstance(other, (int, float)):
            return scale(self, bias=-_whole(self, other), name=TMP)
        return _binary(elementwise.elementwise_sub, self, other)

    def __rsub__(self, other: Operand) -> Self:
        if isinstance(other, (int, float)):
            return scale(self, scale=-1.0, bias=_whole(self, other), name=TMP)
        return _reversed(elementwise.elementwise_sub, self, other)

    def __mul__(self, other: Operand) -> Self:
        if isinstance(other, (int, float)):
            return scale(self, scale=_whole(self, other), name=TMP)
        return _binary(elementwise.elementwise_mul, self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Self:
        if isinstance(other, (int, float)) and self.dtype in _FLOATS:
            if other == 0:
                raise ArgumentError(f"{called_function()}: division of {self.name} by the number 0")
            return scale(self, scale=1.0 / other, name=TMP)
        return _binary(elementwise.elementwise_div, self, other)

    __div__ = __truediv__

    def __rtruediv__(self, other: Operand) -> Self:
        return _reversed(elementwise.elementwise_div, self, other)

    __rdiv__ = __rtruediv__

    def __pow__(self, other: Operand) -> Self:
        return _binary(elementwise.elementwise_pow, self, other)

    def __rpow__(self, other: Operand) -> Self:
        return _reversed(elementwise.elementwise_pow, self, other)

    def __floordiv__(self, other: Operand) -> Self:
        return _binary(elementwise.elementwise_floordiv, self, other)

    def __mod__(self, other: Operand) -> Self:
        return _binary(elementwise.elementwise_mod, self, other)

    def __matmul__(self, other: Operand) -> Self:
        return matmul(self, other, name=TMP)

    def __neg__(self) -> Self:
        return scale(self, scale=-1.0, name=TMP)

    def __lt__(self, other: object) -> Self:
        return _binary(compare.less_than, self, other)

    def __le__(self, other: object) -> Self:
        return _binary(compare.less_equal, self, other)

    def __gt__(self, other: object) -> Self:
        return _binary(compare.greater_than, self, other)

    def __ge__(self, other: object) -> Self:
        return _binary(compare.greater_equal, self, other)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (BaseVariable, np.ndarray, *_NUMBERS)):
            return NotImplemented  # `var in [None, 'x']` must go on working
        return _binary(compare.equal, self, other)

    def __ne__(self, other: object) -> Any:
        if not isinstance(other, (BaseVariable, np.ndarray, *_NUMBERS)):
            return NotImplemented
        return _binary(compare.not_equal, self, other)

    __hash__ = object.__hash__

    def astype(self, dtype: Dtype) -> Self:
        """The same values with another dtype."""
        return cast(self, in_dtype=int(self.dtype), out_dtype=int(dtypes.var_type(dtype)), name=TMP)

    def __getitem__(self, item: object) -> Self:
        from refluid.ir.indexing import take  # it needs to know what a variable is

        return take(self, item)


def _whole(x: BaseVariable, number: float) -> float:
    """The number as a float; integers take whole ones only."""
    value = float(number)
    if not value.is_integer() and x.dtype not in _FLOATS and value == value and abs(value) != float("inf"):
        raise DtypeError(f"{number} with {x.name}: {dtypes.dtype_name(x.dtype)} takes whole numbers; use astype first")
    return value


def _binary(op: OpDef, x: V, y: Any) -> V:
    if not isinstance(y, BaseVariable):
        y = _constant(op, x, _from_text(op, y) if isinstance(y, str) else y, [1])
    if x.dtype is not y.dtype:
        y = cast(y, in_dtype=int(y.dtype), out_dtype=int(x.dtype), name=TMP)
    if y.is_imperative:
        return op(x, y, name=TMP)
    return op(x, y, axis=_axis(y), name=TMP)


def _axis(y: BaseVariable) -> int:
    """Fluid lines up at the batch axis when the second operand has one, at the last axis otherwise."""
    return 0 if y.shape and y.shape[0] == -1 else -1


def _reversed(op: OpDef, x: V, other: Operand) -> V:
    """other OP x, where Fluid makes a number a tensor of x's shape."""
    if isinstance(other, str):
        other = _from_text(op, other)
    if isinstance(other, _NUMBERS) and any(size < 0 for size in x.shape):
        batch = next(i for i, size in enumerate(x.shape) if size < 0)
        attrs: dict[str, Any] = {
            "shape": [1 if size < 0 and i != batch else size for i, size in enumerate(x.shape)],  # 1: broadcast to x
            "input_dim_idx": batch, "output_dim_idx": batch, "dtype": int(x.dtype), "value": float(other),
        }  # fmt: skip
        left = fill_constant_batch_size_like(x, name=TMP, **attrs)
        left.stop_gradient = True
    else:
        left = _constant(op, x, other, list(x.shape))
        if left.dtype is not x.dtype:  # the variable's dtype holds, whichever side it is on
            left = cast(left, in_dtype=int(left.dtype), out_dtype=int(x.dtype), name=TMP)
    return _binary(op, left, x)


def _from_text(op: OpDef, text: str) -> float:
    """Fluid: the text of a number, as a configuration file holds it, is taken as the number."""
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(f"{op.type}: the other operand must be a variable or a number, got {text!r:.60}") from None


def _constant(op: OpDef, x: V, value: object, shape: list[int]) -> V:
    """A number, or an array, as a variable beside x."""
    if isinstance(value, _NUMBERS):
        constant = fill_constant(shape=shape, dtype=int(x.dtype), value=float(value), name=TMP)
    elif isinstance(value, np.ndarray):
        if value.dtype == np.float64 and x.dtype is not VarType.FP64:
            value = value.astype(np.float32)  # assign_value has no other floats
        constant = assign_value(name=TMP, **array_attrs(value))
    else:
        raise ArgumentError(f"{op.type}: the other operand must be a variable or a number, got {type(value).__name__}")
    constant.stop_gradient = True
    return constant


_VALUES = {
    VarType.BOOL: "bool_values",
    VarType.FP32: "fp32_values",
    VarType.INT32: "int32_values",
    VarType.INT64: "int64_values",
}


def array_attrs(array: np.ndarray) -> dict[str, Any]:
    """An array as the attributes of assign_value."""
    kind = dtypes.var_type(array.dtype)
    if kind not in _VALUES:
        raise DtypeError(f"assign: a numpy array must be bool, float32, int32 or int64, got {array.dtype}")
    return {"shape": list(array.shape), "dtype": int(kind), _VALUES[kind]: array.ravel().tolist()}
