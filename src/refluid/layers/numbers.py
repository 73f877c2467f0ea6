"""Numbers that may be variables instead: what functions with shapes, axes and positions share."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from refluid.core import mode
from refluid.core.callsite import site_rows
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, ModeError
from refluid.core.naming import LayerName
from refluid.ir.arithmetic import Arithmetic
from refluid.ir.variable import Variable
from refluid.ops.shape.fill_constant import fill_constant


def is_variable(value: Any) -> bool:
    """Whether it is a variable of either mode."""
    return isinstance(value, Arithmetic)


def need_variable(what: str, value: Any) -> None:
    """Refuse what is no variable; `what` names the function and the argument: "fc: input"."""
    if is_variable(value):
        if value.is_imperative and not mode.current.takes_imperative:
            raise ModeError(
                f"{what} is {value.name}, a variable of the imperative mode, but the call is recorded into a program; "
                "call it inside fluid.dygraph.guard(), or declare the input with fluid.data",
                site_rows("built"),
            )
    else:
        hint = "; wrap it with fluid.dygraph.to_variable" if hasattr(value, "__array__") else ""
        raise ArgumentError(f"{what} must be a Variable, got {type(value).__name__}{hint}", site_rows("called"))


def stopped(var: Any) -> Any:
    """The variable, with no gradient going through it."""
    var.stop_gradient = True
    return var


def index(value: Any) -> int:
    """An int, be it of numpy or the one element of an array."""
    return operator.index(value.item() if isinstance(value, np.ndarray) and value.size == 1 else value)


def ints(what: str, values: Any) -> list[int]:
    """A list of ints from a list of whatever is one: ints of numpy, variables of the imperative mode."""
    try:
        return [index(value) for value in values]
    except TypeError:
        raise ArgumentError(f"{what} must be a list of ints, got {values!r:.60}") from None


def cut_off(values: Any) -> Any:
    """A list of sizes, where one that a program has divided may be a float: Fluid cuts it off."""
    if not isinstance(values, list | tuple) or not any(isinstance(value, float) for value in values):
        return values
    return [int(value) if isinstance(value, float) else value for value in values]


def positive(what: str, value: Any) -> int:
    """A size: a positive int, be it of numpy."""
    try:
        size = index(value)
    except TypeError:
        size = 0
    if size <= 0:
        raise ArgumentError(f"{what} must be a positive int, got {value!r:.60}")
    return size


def number(what: str, value: Any) -> float:
    """A number as a float, be it of numpy or the one element of a variable of the imperative mode."""
    try:
        if not isinstance(value, str):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise ArgumentError(f"{what} must be a number, got {value!r:.60}")


def whole(what: str, value: Any) -> int:
    """A whole number as an int, be it of numpy."""
    try:
        return index(value)
    except TypeError:
        raise ArgumentError(f"{what} must be an int, got {value!r:.60}") from None


def count(what: str, value: Any) -> int:
    """An int of 0 or more, be it of numpy."""
    found = whole(what, value)
    if found < 0:
        raise ArgumentError(f"{what} must be 0 or more, got {found}")
    return found


def axis_of(what: str, axis: Any, rank: int) -> int:
    """An axis of something of this rank, counted from either end, be it an int of numpy."""
    try:
        found = index(axis)
    except TypeError:
        found = rank
    if not -rank <= found < rank:
        raise ArgumentError(f"{what} must be an int in [{-rank}, {rank - 1}], got {axis!r:.60}")
    return found


def mixed(
    what: str, values: Any, layer: LayerName | OwnConstants, dtype: VarType = VarType.INT32
) -> tuple[list[int], list[Any] | None]:
    """A list that may hold variables of a program: its numbers with -1 in their place, and all of it as variables.

    The second is None when there are only numbers. Constants are made for the numbers beside variables.
    """
    if not isinstance(values, list | tuple):
        raise ArgumentError(f"{what} must be a list, a tuple or a Variable, got {type(values).__name__}")
    if not any(isinstance(value, Variable) for value in values):
        return ints(what, values), None
    numbers = [-1 if isinstance(value, Variable) else ints(what, [value])[0] for value in values]
    variables = [stopped(value) if isinstance(value, Variable) else constant(value, layer, dtype) for value in values]
    return numbers, variables


def constant(value: int, layer: LayerName | OwnConstants, dtype: VarType = VarType.INT32) -> Any:
    """An int as a variable [1]."""
    made = fill_constant(
        name=layer, shape=[1], dtype=int(dtype), value=float(value), str_value=str(int(value)), force_cpu=True
    )
    return stopped(made)


class OwnConstants:
    """In place of a layer: constants made beside variables are layers of their own, fill_constant_0 and so on."""

    def __init__(self, layer_type: str):
        self.layer_type = layer_type

    def tmp(self) -> str:
        return LayerName("fill_constant").tmp()
