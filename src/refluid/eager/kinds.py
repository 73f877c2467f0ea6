"""fluid.Variable and fluid.Parameter as programs see them: `isinstance` holds for those of either mode.

Programs ask `isinstance(x, fluid.Variable)` to tell variables from numbers and arrays, and Fluid answers yes in both
modes. The engine itself asks for `ir.variable.Variable` or `VarBase`, which tells the modes apart.
"""

from __future__ import annotations

from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.ir import variable as static


class OfBothModes(type):
    kinds: tuple[type, ...]

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.kinds)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.kinds)


class Variable(static.Variable, metaclass=OfBothModes):
    """A variable of a block; `isinstance` holds for the variables of either mode.

    Args:
        block: the block that it is part of.
        type: the kind of value: a tensor, an array of tensors, selected rows and so on.
        name: its name; a new one if None.
        shape: its sizes; -1 where only a run tells.
        dtype: its dtype.
        lod_level: the number of LoD levels.
        persistable: whether it is kept from run to run.
        error_clip: clips its gradient, see fluid.clip.ErrorClipByValue.
        stop_gradient: whether gradients stop at it.
        is_data: whether it is fed.
        need_check_feed: whether fed values must have its shape and dtype.
    """

    kinds = (static.Variable, VarBase)


class Parameter(static.Parameter, metaclass=OfBothModes):
    """A persistable variable that training changes; `isinstance` holds for the parameters of either mode.

    Args:
        block: the block that it is part of.
        shape: its sizes.
        dtype: its dtype.
        type: the kind of value, a tensor.
        options: trainable, optimize_attr ({"learning_rate": factor}), regularizer, gradient_clip_attr,
            do_model_average, and those of Variable.

    Example:
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> [var.name for var in fluid.default_main_program().list_vars() if isinstance(var, fluid.framework.Parameter)]
        ['fc_0.w_0', 'fc_0.b_0']
    """

    kinds = (static.Parameter, ParamBase)
