"""Number: a number of Python that only a run tells: a counter, a length, `int(x)`, what branches leave as 1 or 2.

It follows Python's rules among numbers (`1 / 2` is 0.5, `-7 // 2` is -4) and takes the dtype of a tensor it is combined
with, as the plain number would in the imperative mode, from either side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.core.errors import DtypeError
from refluid.core.naming import TMP, LayerName
from refluid.eager.variable import VarBase
from refluid.ir.base_variable import BaseVariable
from refluid.ir.variable import Variable
from refluid.jit.errors import refused
from refluid.ops.math import unary
from refluid.ops.shape.cast import cast
from refluid.ops.shape.fill_constant import fill_constant

PLAIN = (bool, int, float, np.bool_, np.number)
_WIDTH = (VarType.BOOL, VarType.INT32, VarType.INT64, VarType.FP32, VarType.FP64)
_WHOLE = frozenset({"add", "sub", "mul"})  # integers refuse numbers that are not whole beside them
_COMPARING = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})


class Number(Variable):
    """A variable [1] that stands for a number of Python; `number` makes one of a variable."""

    __hash__ = Variable.__hash__

    def __round__(self, digits: int | None = None) -> Number:
        if digits is not None:
            raise refused("round(x, digits) of a number that is known at run time only; round(x) alone is available")
        return number(_cast(unary.round(_at_least(self, VarType.FP32), name=TMP), VarType.INT64))

    def __neg__(self) -> Number:
        return number(Variable.__neg__(_at_least(self, VarType.INT64)))


def number(var: BaseVariable) -> Number:
    """The variable, from now on a number."""
    var.__class__ = Number
    var.stop_gradient = True
    return var  # type: ignore[return-value]  # its class was changed above


def is_number(value: object) -> bool:
    return isinstance(value, (Number, *PLAIN))


def kind_of(plain: object) -> VarType:
    """The dtype that a plain number becomes."""
    plain = plain.item() if isinstance(plain, np.generic) else plain
    return VarType.BOOL if isinstance(plain, bool) else VarType.INT64 if isinstance(plain, int) else VarType.FP32


def constant(plain: Any, kind: VarType) -> Variable:
    """A plain number in the program."""
    plain = plain.item() if isinstance(plain, np.generic) else plain
    var = fill_constant(
        shape=[1], dtype=int(kind), value=float(plain), name=LayerName("fill_constant"),
        str_value=repr(int(plain)) if kind is VarType.INT64 else "",
    )  # fmt: skip
    var.stop_gradient = True
    return var


def as_number(value: Any, kind: VarType | None = None) -> Number:
    """A number, or the one element of a tensor, as a Number."""
    if isinstance(value, Number):
        return value if kind is None else number(_cast(value, kind))
    if isinstance(value, PLAIN):
        return number(constant(value, kind_of(value) if kind is None else kind))
    return number(cast(value, in_dtype=int(value.dtype), out_dtype=int(kind or value.dtype), name=TMP))


def common_kind(*values: object) -> VarType:
    """The dtype in which numbers are compared and chosen between."""
    kinds = [value.dtype if isinstance(value, Number) else kind_of(value) for value in values]
    return max(kinds, key=_WIDTH.index)


def _cast(var: Variable, kind: VarType) -> Variable:
    return var if var.dtype is kind else cast(var, in_dtype=int(var.dtype), out_dtype=int(kind), name=TMP)


def _at_least(var: Variable, kind: VarType) -> Variable:
    return var if _WIDTH.index(var.dtype) >= _WIDTH.index(kind) else _cast(var, kind)


def _pair(sign: str, a: object, b: object) -> tuple[Variable, Variable]:
    """Two numbers as variables of the dtype in which Python would compute."""
    least = VarType.FP32 if sign == "truediv" else VarType.BOOL if sign in _COMPARING else VarType.INT64
    kind = max(common_kind(a, b), least, key=_WIDTH.index)
    return as_number(a, kind), as_number(b, kind)


def _floor(a: Variable, b: Variable, sign: str) -> Variable:
    """a // b or a % b; operators of integers cut towards zero, Python's numbers go down."""
    if dtypes.is_floating(a.dtype):
        left = Variable.__mod__(a, b)
        return left if sign == "mod" else unary.floor(Variable.__truediv__(a, b), name=TMP)
    left = Variable.__mod__(Variable.__add__(Variable.__mod__(a, b), b), b)
    return left if sign == "mod" else Variable.__floordiv__(Variable.__sub__(a, left), b)


def _combined(sign: str, a: Any, b: Any) -> Any:
    """a SIGN b, of which one at least is a Number."""
    if not is_number(a) or not is_number(b):
        tensor = b if is_number(a) else a
        if not isinstance(tensor, Variable | VarBase):
            return NotImplemented
        operand = a if isinstance(a, Number) else b
        if sign in _WHOLE and dtypes.is_floating(operand.dtype) and not dtypes.is_floating(tensor.dtype):
            raise DtypeError(
                f"a number that is not whole with {tensor.name}: {dtypes.dtype_name(tensor.dtype)} takes whole "
                "numbers; use astype first"
            )
        converted = cast(
            operand, in_dtype=int(operand.dtype), out_dtype=int(tensor.dtype), name=TMP
        )  # a plain variable
        converted.stop_gradient = True
        a, b = (converted, b) if operand is a else (a, converted)
        return getattr(a, f"__{sign}__")(b)
    first, second = _pair(sign, a, b)
    if sign in ("floordiv", "mod"):
        return number(_floor(first, second, sign))
    return number(getattr(Variable, f"__{sign}__")(first, second))


def _method(sign: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def run(self: object, other: object) -> Any:
        return _combined(sign, other, self) if reflected else _combined(sign, self, other)

    return run


for _sign in ("add", "sub", "mul", "truediv", "pow", "floordiv", "mod"):
    setattr(Number, f"__{_sign}__", _method(_sign))
    setattr(Number, f"__r{_sign}__", _method(_sign, reflected=True))
for _sign in sorted(_COMPARING):
    setattr(Number, f"__{_sign}__", _method(_sign))
