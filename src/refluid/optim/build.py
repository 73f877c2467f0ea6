"""Pieces of programs that optimizers and schedules share: constants, global variables, counters."""

from __future__ import annotations

from typing import Any

from refluid.core import dtypes, unique_name
from refluid.ir import program as programs
from refluid.ir.variable import Variable
from refluid.ops.math.scale import increment
from refluid.ops.shape.fill_constant import fill_constant
from refluid.params.create import initialise
from refluid.params.initializer import Constant


class _Generated:
    """Names what Fluid leaves to the block to name."""

    def tmp(self) -> str:
        return unique_name.generate("_generated_var")


GENERATED = _Generated()


def constant(value: float, dtype: Any = "float32", force_cpu: bool = False) -> Any:
    """A number as a variable of one element."""
    kind = dtypes.var_type(dtype)
    text = str(float(value)) if dtypes.is_floating(kind) else str(int(value))
    out = fill_constant(shape=[1], dtype=int(kind), value=float(value), force_cpu=force_cpu, str_value=text)
    out.stop_gradient = True
    return out


def global_variable(
    name: str, value: float, dtype: Any = "float32", shape: Any = (1,), force_cpu: bool = False
) -> Variable:
    """A persistable variable of the main program that the startup program sets to `value`."""
    var = (
        programs.default_main_program()
        .global_block()
        .create_var(name=name, shape=list(shape), dtype=dtype, persistable=True, stop_gradient=True)
    )
    initialise(var, Constant(float(value), force_cpu))
    return var


def autoincreased_step_counter(counter_name: str | None = None, begin: int = 1, step: int = 1) -> Variable:
    """A variable that counts the runs of the program: begin - 1 + step in the first, `step` more in every other.

    Counters of one name are one counter.
    """
    name = "@STEP_COUNTER@" if counter_name is None else counter_name
    block = programs.default_main_program().global_block()
    if name not in block.vars:
        counter = block.create_var(name=name, shape=[1], dtype="int64", persistable=True, stop_gradient=True)
        startup = programs.default_startup_program().global_block()
        there = startup.create_var(name=name, shape=[1], dtype="int64", persistable=True)
        # Fluid initialises it even if another program that shares the startup program has done so
        Constant(begin - 1, force_cpu=True)(there, startup)
        block._prepend_op(increment.type, {"X": counter}, {"Out": counter}, {"step": float(step)})
    return block.vars[name]
