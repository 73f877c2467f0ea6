"""Parameters and other variables that programs make by hand."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core import dtypes, mode, unique_name
from refluid.core.naming import LayerName
from refluid.eager.base import tape
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.layers.numbers import ints, stopped
from refluid.params.attr import ParamAttr
from refluid.params.create import make_parameter
from refluid.params.initializer import Constant, Initializer
from refluid.params.state import make_state


def create_parameter(
    shape: Any,
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> Any:
    """A parameter for a layer of your own.

    Args:
        name: of the parameter; what it is named after if attr is given.
        is_bias: it begins with zeros instead of random numbers, unless an initializer is given.
        default_initializer: counts if attr has none.
    """
    attr = ParamAttr(name=name) if attr is None else attr
    sizes = ints("create_parameter: shape", shape)
    layer = LayerName("create_parameter", name)
    return make_parameter(attr, sizes, dtype, is_bias=is_bias, default=default_initializer, layer=layer)


def create_global_var(
    shape: Any, value: float, dtype: Any, persistable: bool = False, force_cpu: bool = False, name: str | None = None
) -> Any:
    """A variable of the global block that the startup program sets to a value; no gradient goes through it.

    Args:
        persistable: it lives on between runs.
        force_cpu: kept in the operator; the value is where it is read anyway.
    """
    sizes = ints("create_global_var: shape", shape)
    var = stopped(make_state(sizes, dtype, Constant(float(value), force_cpu), name=name))
    var.persistable = persistable
    return var


def create_tensor(dtype: Any, name: str | None = None, persistable: bool = False) -> Any:
    """A variable without a value yet, for `assign(x, output=...)` and the like to write to."""
    kind = dtypes.var_type(dtype)
    name = unique_name.generate("create_tensor") if name is None else name
    if mode.current.imperative:
        made = VarBase(torch.empty(0, dtype=dtypes.TORCH[kind], device=tape.device))
        made.name, made.persistable = name, persistable
        return made
    block = programs.default_main_program().current_block()
    return block.create_var(name=name, dtype=kind, persistable=persistable)
