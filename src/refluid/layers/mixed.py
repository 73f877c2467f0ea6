"""Lists of sizes, axes and positions that may mix numbers and variables."""

from __future__ import annotations

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName, OwnConstants
from refluid.ir.base_variable import BaseVariable, V
from refluid.ir.variable import Variable
from refluid.layers.checks import ints
from refluid.ops.shape.fill_constant import fill_constant


def mixed(
    what: str, values: object, layer: LayerName | OwnConstants, dtype: VarType = VarType.INT32
) -> tuple[list[int], list[BaseVariable] | None]:
    """Split a list that may hold variables into its numbers, with -1 for variables, and the whole list as variables.

    The second is None when there are only numbers. Constants are made for the numbers beside variables.
    """
    if not isinstance(values, list | tuple):
        raise ArgumentError(f"{what} must be a list, a tuple or a Variable, got {type(values).__name__}")
    if not any(isinstance(value, Variable) for value in values):
        return ints(what, values), None
    numbers = [-1 if isinstance(value, Variable) else ints(what, [value])[0] for value in values]
    variables = [stopped(value) if isinstance(value, Variable) else constant(value, layer, dtype) for value in values]
    return numbers, variables


def constant(value: int, layer: LayerName | OwnConstants, dtype: VarType = VarType.INT32) -> BaseVariable:
    """An int as a variable [1]."""
    var = fill_constant(
        name=layer, shape=[1], dtype=int(dtype), value=float(value), str_value=str(int(value)), force_cpu=True
    )
    return stopped(var)


def stopped(var: V) -> V:
    """The variable, with stop_gradient set."""
    var.stop_gradient = True
    return var
