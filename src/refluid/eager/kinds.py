"""fluid.Variable and fluid.Parameter as programs see them: `isinstance` holds for those of either mode.

Programs ask `isinstance(x, fluid.Variable)` to tell variables from numbers and arrays, and Fluid answers yes in both
modes. The engine itself asks for `ir.variable.Variable` or `VarBase`, which tells the modes apart.
"""

from __future__ import annotations

from typing import Any

from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.ir import variable as static


class OfBothModes(type):
    kinds: tuple[type, ...]

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.kinds)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.kinds)


class Variable(static.Variable, metaclass=OfBothModes):
    """A variable of a block; every variable of either mode is an instance."""

    kinds = (static.Variable, VarBase)


class Parameter(static.Parameter, metaclass=OfBothModes):
    """A persistable variable that training changes; every parameter of either mode is an instance."""

    kinds = (static.Parameter, ParamBase)
