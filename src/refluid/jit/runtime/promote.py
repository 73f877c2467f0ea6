"""Numbers, arrays and imperative variables as variables of the program that is being built."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.core.mode import per_mode
from refluid.core.naming import LayerName
from refluid.eager.variable import VarBase
from refluid.ir.base_variable import BaseVariable, array_attrs
from refluid.ir.variable import Variable
from refluid.jit.runtime.numbers import Number, as_number, constant, number
from refluid.ops.shape.assign import assign, assign_value
from refluid.ops.shape.cast import cast
from refluid.ops.shape.fill_constant import fill_constant

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from refluid.core.types import Dtype
    from refluid.layers.control_flow.nest import Structure


def is_static(value: object) -> TypeIs[Variable]:
    """Whether it is known only when the program runs."""
    return isinstance(value, Variable)


TRUTHS: dict[type, Callable[[Any], Any]] = {}  # what the truth of a stand-in for a Python value is, by its class


def settled(test: object) -> Structure:
    """A condition as the program sees it: a parameter may change, so its truth is not known while building."""
    truth = TRUTHS.get(type(test))
    if truth is not None:
        return truth(test)
    return _unknown(test) if isinstance(test, VarBase) else test


@per_mode
def _unknown(test: VarBase) -> Structure:
    return promote(test)


@_unknown.imperative
def _known(test: VarBase) -> Structure:
    return test


def can_promote(value: object) -> bool:
    return isinstance(value, Variable | VarBase | bool | int | float | np.ndarray | np.generic)


def promote(value: object, dtype: VarType | None = None) -> Variable:
    """The value as a variable of the current block: a tensor of this dtype if one is given, a number as a Number."""
    if isinstance(value, Variable):
        var = value
    elif isinstance(value, VarBase):
        var = assign(value)
    elif isinstance(value, np.ndarray | np.generic) and not isinstance(value, np.bool_ | np.number):
        var = constant_array(np.asarray(value))
    else:
        var = as_number(value) if dtype is None else constant(value, dtype)
    return var if dtype is None or var.dtype is dtype else convert(var, dtype)


def constant_array(array: np.ndarray) -> Variable:
    """An array written into the program."""
    if array.dtype in (np.float64, np.float16):
        constant = assign_value(name=LayerName("assign"), **array_attrs(array.astype(np.float32)))
        return convert(constant, dtypes.var_type(array.dtype))
    constant = assign_value(name=LayerName("assign"), **array_attrs(array))
    constant.stop_gradient = True
    return constant


def convert(var: BaseVariable, dtype: Dtype) -> Variable:
    kind = dtypes.var_type(dtype)
    return cast(var, in_dtype=int(var.dtype), out_dtype=int(kind), name=LayerName("cast"))


def as_bool(test: object) -> Variable:
    """A one-element condition."""
    var = promote(settled(test))
    return var if var.dtype is VarType.BOOL else convert(var, VarType.BOOL)


def copied(var: Variable) -> Variable:
    """A variable of its own, for an operator to write over."""
    made = assign(var, name=LayerName("assign"))
    made.stop_gradient = var.stop_gradient
    return number(made) if isinstance(var, Number) else made


def zeros_like_spec(shape: tuple[int, ...], dtype: VarType) -> Variable:
    """Zeros of that shape, 1 for sizes that are not known: a stand-in that nobody reads."""
    made = fill_constant(
        shape=[max(size, 1) for size in shape] or [1], dtype=int(dtype), value=0.0, name=LayerName("fill_constant")
    )
    made.stop_gradient = True
    return made
