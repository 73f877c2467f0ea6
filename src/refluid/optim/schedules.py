"""Learning-rate schedules: operators of a program in the static mode, objects in the imperative mode."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from refluid.core import mode, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError
from refluid.ir import program as programs
from refluid.ir.variable import Variable
from refluid.layers.control_flow import Switch
from refluid.layers.creation import fill_constant
from refluid.layers.parameters import create_global_var
from refluid.ops.math.elementwise import elementwise_min
from refluid.ops.math.unary import ceil, cos, exp, floor
from refluid.ops.shape.assign import assign
from refluid.ops.shape.cast import cast
from refluid.optim import decay
from refluid.optim.build import autoincreased_step_counter

COUNTER = "@LR_DECAY_COUNTER@"


def noam_decay(d_model: Any, warmup_steps: Any, learning_rate: Any = 1.0) -> Any:
    """learning_rate * d_model ** -0.5 * min(step ** -0.5, step * warmup_steps ** -1.5) (Vaswani et al., 2017)."""
    if mode.current.imperative:
        return decay.NoamDecay(d_model, warmup_steps, learning_rate=learning_rate)
    with _schedule():
        step = _decay_step_counter(begin=1)
        falling = step**-0.5
        rising = (warmup_steps**-1.5) * step
        return learning_rate * (d_model**-0.5) * elementwise_min(falling, rising)


def exponential_decay(learning_rate: Any, decay_steps: int, decay_rate: float, staircase: bool = False) -> Any:
    """learning_rate * decay_rate ** (step / decay_steps); in steps of decay_steps if staircase."""
    if mode.current.imperative:
        return decay.ExponentialDecay(learning_rate, decay_steps, decay_rate, staircase)
    with _schedule():
        return learning_rate * (decay_rate ** _periods(decay_steps, staircase))


def natural_exp_decay(learning_rate: Any, decay_steps: int, decay_rate: float, staircase: bool = False) -> Any:
    """learning_rate * exp(-decay_rate * step / decay_steps); in steps of decay_steps if staircase."""
    if mode.current.imperative:
        return decay.NaturalExpDecay(learning_rate, decay_steps, decay_rate, staircase)
    with _schedule():
        return learning_rate * exp(-1 * decay_rate * _periods(decay_steps, staircase))


def inverse_time_decay(learning_rate: Any, decay_steps: int, decay_rate: float, staircase: bool = False) -> Any:
    """learning_rate / (1 + decay_rate * step / decay_steps); in steps of decay_steps if staircase."""
    if mode.current.imperative:
        return decay.InverseTimeDecay(learning_rate, decay_steps, decay_rate, staircase)
    with _schedule():
        return learning_rate / (1 + decay_rate * _periods(decay_steps, staircase))


def polynomial_decay(
    learning_rate: Any, decay_steps: int, end_learning_rate: float = 0.0001, power: float = 1.0, cycle: bool = False
) -> Any:
    """From learning_rate to end_learning_rate in decay_steps, along a power; again and again if cycle."""
    if mode.current.imperative:
        return decay.PolynomialDecay(learning_rate, decay_steps, end_learning_rate, power, cycle)
    with _schedule():
        step = _decay_step_counter()
        if cycle:
            cycles = ceil(step / decay_steps)
            zero, one = fill_constant([1], "float32", 0.0), fill_constant([1], "float32", 1.0)
            with Switch() as switch, switch.case(step == zero):
                assign(one, outs={"Out": cycles})
            length = decay_steps * cycles
        else:
            length = decay_steps
            step = elementwise_min(step, fill_constant([1], "float32", float(decay_steps)))
        return (learning_rate - end_learning_rate) * ((1 - step / length) ** power) + end_learning_rate


def piecewise_decay(boundaries: list[int], values: list[float]) -> Any:
    """values[i] up to step boundaries[i], and the last value after the last boundary."""
    decay.check_pieces("piecewise_decay", boundaries, values)
    if mode.current.imperative:
        return decay.PiecewiseDecay(boundaries, values, 0)
    with _schedule():
        step = _decay_step_counter()
        rate = create_global_var([1], 0.0, "float32", persistable=True, name=_free("learning_rate"))
        with Switch() as switch:
            for boundary, value in zip(boundaries, values, strict=False):
                limit, piece = (
                    fill_constant([1], "float32", float(boundary), force_cpu=True),
                    fill_constant([1], "float32", float(value)),
                )
                with switch.case(step < limit):
                    assign(piece, outs={"Out": rate})
            last = fill_constant([1], "float32", float(values[-1]))
            with switch.default():
                assign(last, outs={"Out": rate})
        return rate


def cosine_decay(learning_rate: Any, step_each_epoch: int, epochs: int) -> Any:
    """learning_rate * (cos(pi * epoch / epochs) + 1) / 2, an epoch being step_each_epoch steps."""
    if mode.current.imperative:
        return decay.CosineDecay(learning_rate, step_each_epoch, epochs)
    with _schedule():
        epoch = floor(_decay_step_counter() / step_each_epoch)
        return learning_rate * 0.5 * (cos(epoch * math.pi / epochs) + 1)


def linear_lr_warmup(learning_rate: Any, warmup_steps: int, start_lr: float, end_lr: float) -> Any:
    """From start_lr to end_lr in a straight line over warmup_steps, then `learning_rate`: a number or a schedule."""
    if mode.current.imperative:
        return decay.LinearLrWarmup(learning_rate, warmup_steps, start_lr, end_lr)
    if not isinstance(learning_rate, Real | Variable):
        kind = type(learning_rate).__name__
        raise DtypeError(f"linear_lr_warmup: learning_rate must be a number or a variable, got {kind}")
    dtype = learning_rate.dtype if isinstance(learning_rate, Variable) else VarType.FP32
    with _schedule():
        rate = create_global_var([1], 0.0, dtype, persistable=True, name=_free("learning_rate_warmup"))
        step = _decay_step_counter()
        with Switch() as switch:
            with switch.case(step < warmup_steps):
                assign(start_lr + (end_lr - start_lr) * (step / float(warmup_steps)), outs={"Out": rate})
            with switch.default():
                after = (
                    learning_rate
                    if isinstance(learning_rate, Variable)
                    else fill_constant([1], dtype, float(learning_rate))
                )
                assign(after, outs={"Out": rate})
        return rate


def _schedule() -> Any:
    """Operators written inside are marked as a learning-rate schedule."""
    return programs.default_main_program()._lr_schedule_guard()


def _free(name: str) -> str:
    """The name itself, unless an earlier schedule of the program has it."""
    return unique_name.generate(name) if name in programs.default_main_program().global_block().vars else name


def _decay_step_counter(begin: int = 0) -> Any:
    """The number of the present run as a float."""
    counter = autoincreased_step_counter(COUNTER, begin, 1)
    return cast(counter, in_dtype=int(counter.dtype), out_dtype=int(VarType.FP32))


def _periods(decay_steps: int, staircase: bool) -> Any:
    """How often decay_steps fits into the steps so far; whole times if staircase."""
    if not decay_steps:
        raise ArgumentError("decay_steps must not be 0")
    periods = _decay_step_counter() / decay_steps
    return floor(periods) if staircase else periods
