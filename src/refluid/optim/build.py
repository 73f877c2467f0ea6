"""Pieces of programs that optimizers and schedules share."""

from __future__ import annotations

from refluid.ir import program as programs
from refluid.ir.variable import Variable
from refluid.ops.math.scale import increment
from refluid.params.initializer import Constant


def autoincreased_step_counter(counter_name: str | None = None, begin: int = 1, step: int = 1) -> Variable:
    """A variable that counts the runs of the program: begin in the first if step is 1, `step` more in every other.

    Counters of one name are one counter.

    Args:
        counter_name: the name of the counter; "@STEP_COUNTER@" if None.
        begin: the counter starts with begin - 1, before the first step is added.
        step: what every run adds.

    Returns:
        A persistable int64 variable of shape [1].

    Example:
        >>> counter = fluid.layers.autoincreased_step_counter(begin=1)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> [exe.run(fetch_list=[counter])[0].item() for _ in range(3)]
        [1, 2, 3]
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
