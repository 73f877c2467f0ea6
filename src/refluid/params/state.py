"""Making variables that live on between runs but are no parameters, in either mode."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.core import dtypes, unique_name
from refluid.core.mode import per_mode
from refluid.core.types import Dtype
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.params.create import initial_value, initialise
from refluid.params.initializer import Constant, Initializer


def make_state(
    shape: Sequence[int],
    dtype: Dtype,
    value: float | Initializer = 0.0,
    name: str | None = None,
    every_run: bool = False,
) -> BaseVariable:
    """A persistable variable that no optimizer changes.

    Args:
        value: its first value, or an initializer.
        name: Fluid's `_generated_var_0` by default.
        every_run: it is set to its value at the start of every run of the main program, not by the startup program.
    """
    initializer = value if isinstance(value, Initializer) else Constant(float(value))
    name = unique_name.generate("_generated_var") if name is None else name
    return _make(name, shape, dtype, initializer, every_run)


@per_mode
def _make(name: str, shape: Sequence[int], dtype: Dtype, initializer: Initializer, every_run: bool) -> BaseVariable:
    block = programs.default_main_program().global_block()
    var = block.create_var(name=name, shape=shape, dtype=dtypes.var_type(dtype), persistable=True)
    if every_run:
        initializer(var, block)
    else:
        initialise(var, initializer)
    return var


@_make.imperative
def _make_now(name: str, shape: Sequence[int], dtype: Dtype, initializer: Initializer, every_run: bool) -> BaseVariable:
    var = VarBase(initial_value(initializer, tuple(shape), dtype))
    var.name, var.persistable = name, True
    return var
