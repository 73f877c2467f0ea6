"""Learning-rate schedules: operators of a program in the static mode, objects in the imperative mode."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from numbers import Real
from typing import TypeAlias

from refluid.core import unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.mode import per_mode
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.variable import Variable
from refluid.layers.checks import number_or_text
from refluid.layers.control_flow import Switch
from refluid.layers.creation import fill_constant
from refluid.layers.parameters import create_global_var
from refluid.ops.math.elementwise import elementwise_min
from refluid.ops.math.unary import ceil, cos, exp, floor
from refluid.ops.shape.assign import assign
from refluid.ops.shape.cast import cast
from refluid.optim import decay
from refluid.optim.build import autoincreased_step_counter

Rate: TypeAlias = float | BaseVariable | decay.LearningRateDecay
"""A learning rate: a number, a variable, or a schedule of the imperative mode."""

COUNTER = "@LR_DECAY_COUNTER@"


@per_mode
def noam_decay(d_model: int, warmup_steps: int, learning_rate: float | BaseVariable = 1.0) -> Rate:
    """learning_rate * d_model ** -0.5 * min(step ** -0.5, step * warmup_steps ** -1.5) (Vaswani et al., 2017).

    `step` counts the runs of the program, or the steps of the optimizer in the imperative mode.

    Args:
        d_model: the width of the model.
        warmup_steps: the number of steps over which the rate rises.
        learning_rate: factor of the rate, a number or a float32 variable of shape [1].

    Returns:
        A float32 variable of shape [1]; in the imperative mode a LearningRateDecay object.

    Example:
        >>> fluid.layers.noam_decay(d_model=512, warmup_steps=4000).shape
        (1,)
    """
    for name, value in (("d_model", d_model), ("warmup_steps", warmup_steps)):
        if isinstance(value, str):  # a variable will do
            raise ArgumentError(f"noam_decay: {name} must be a number, got {value!r:.60}")
    with _schedule():
        step = _decay_step_counter(begin=1)
        falling = step**-0.5
        rising = (warmup_steps**-1.5) * step
        return learning_rate * (d_model**-0.5) * elementwise_min(falling, rising)


@noam_decay.imperative
def _noam(d_model: int, warmup_steps: int, learning_rate: float | BaseVariable = 1.0) -> Rate:
    return decay.NoamDecay(d_model, warmup_steps, learning_rate=learning_rate)


@per_mode
def exponential_decay(
    learning_rate: float | BaseVariable, decay_steps: int, decay_rate: float, staircase: bool = False
) -> Rate:
    """learning_rate * decay_rate ** (step / decay_steps).

    `step` counts the runs of the program, or the steps of the optimizer in the imperative mode.

    Args:
        learning_rate: the initial learning rate, a number or a float32 variable of shape [1].
        decay_steps: the number of steps per period.
        decay_rate: the factor per period.
        staircase: round step / decay_steps down, so that the rate is constant within a period.

    Returns:
        A float32 variable of shape [1]; in the imperative mode a LearningRateDecay object.

    Example:
        >>> rate = fluid.layers.exponential_decay(0.1, decay_steps=2, decay_rate=0.5, staircase=True)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> [round(exe.run(fetch_list=[rate])[0].item(), 3) for _ in range(4)]
        [0.1, 0.1, 0.05, 0.05]
    """
    with _schedule():
        return learning_rate * (decay_rate ** _periods(decay_steps, staircase))


exponential_decay.imperative(decay.ExponentialDecay)


@per_mode
def natural_exp_decay(
    learning_rate: float | BaseVariable, decay_steps: int, decay_rate: float, staircase: bool = False
) -> Rate:
    """learning_rate * exp(-decay_rate * step / decay_steps).

    `step` counts the runs of the program, or the steps of the optimizer in the imperative mode.

    Args:
        learning_rate: the initial learning rate, a number or a float32 variable of shape [1].
        decay_steps: the number of steps per period.
        decay_rate: the exponent per period.
        staircase: round step / decay_steps down, so that the rate is constant within a period.

    Returns:
        A float32 variable of shape [1]; in the imperative mode a LearningRateDecay object.
    """
    with _schedule():
        return learning_rate * exp(-1 * decay_rate * _periods(decay_steps, staircase))


natural_exp_decay.imperative(decay.NaturalExpDecay)


@per_mode
def inverse_time_decay(
    learning_rate: float | BaseVariable, decay_steps: int, decay_rate: float, staircase: bool = False
) -> Rate:
    """learning_rate / (1 + decay_rate * step / decay_steps).

    `step` counts the runs of the program, or the steps of the optimizer in the imperative mode.

    Args:
        learning_rate: the initial learning rate, a number or a float32 variable of shape [1].
        decay_steps: the number of steps per period.
        decay_rate: the growth of the divisor per period.
        staircase: round step / decay_steps down, so that the rate is constant within a period.

    Returns:
        A float32 variable of shape [1]; in the imperative mode a LearningRateDecay object.
    """
    with _schedule():
        return learning_rate / (1 + decay_rate * _periods(decay_steps, staircase))


inverse_time_decay.imperative(decay.InverseTimeDecay)


@per_mode
def polynomial_decay(
    learning_rate: float | BaseVariable,
    decay_steps: int,
    end_learning_rate: float = 0.0001,
    power: float = 1.0,
    cycle: bool = False,
) -> Rate:
    """(learning_rate - end_learning_rate) * (1 - step / decay_steps) ** power + end_learning_rate.

    `step` counts the runs of the program, or the steps of the optimizer in the imperative mode.

    Args:
        learning_rate: the initial learning rate, a number or a float32 variable of shape [1].
        decay_steps: the number of steps from the first rate to the last.
        end_learning_rate: the last learning rate.
        power: the exponent of the polynomial; 1 for a straight line.
        cycle: stretch decay_steps to the next multiple when it is over, so that the rate rises again.

    Returns:
        A float32 variable of shape [1]; in the imperative mode a LearningRateDecay object.

    Example:
        >>> rate = fluid.layers.polynomial_decay(0.1, decay_steps=2, end_learning_rate=0.0)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> startup = exe.run(fluid.default_startup_program())
        >>> [round(float(exe.run(fetch_list=[rate])[0][0]), 4) for step in range(4)]
        [0.1, 0.05, 0.0, 0.0]
    """
    with _schedule():
        step = _decay_step_counter()
        if cycle:
            cycles = ceil(step / decay_steps)
            zero, first_cycle = fill_constant([1], "float32", 0.0), fill_constant([1], "float32", 1.0)
            with Switch() as switch, switch.case(step == zero):
                assign(first_cycle, outs={"Out": cycles})
            length = decay_steps * cycles
        else:
            length = decay_steps
            step = elementwise_min(step, fill_constant([1], "float32", float(decay_steps)))
        return (learning_rate - end_learning_rate) * ((1 - step / length) ** power) + end_learning_rate


polynomial_decay.imperative(decay.PolynomialDecay)


def piecewise_decay(boundaries: list[int], values: list[float]) -> Rate:
    """values[i] before step boundaries[i], and the last value after the last boundary.

    `step` counts the runs of the program, or the steps of the optimizer in the imperative mode.

    Args:
        boundaries: increasing step numbers.
        values: learning rates, one more than boundaries.

    Returns:
        A float32 variable of shape [1]; in the imperative mode a LearningRateDecay object.

    Example:
        >>> rate = fluid.layers.piecewise_decay(boundaries=[2, 3], values=[1.0, 0.5, 0.1])
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> [round(exe.run(fetch_list=[rate])[0].item(), 3) for _ in range(4)]
        [1.0, 1.0, 0.5, 0.1]
    """
    decay.check_pieces("piecewise_decay", boundaries, values)
    return _pieces(boundaries, values)


@per_mode
def _pieces(boundaries: list[int], values: list[float]) -> Rate:
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


@_pieces.imperative
def _pieces_now(boundaries: list[int], values: list[float]) -> Rate:
    return decay.PiecewiseDecay(boundaries, values, 0)


@per_mode
def cosine_decay(learning_rate: float | BaseVariable, step_each_epoch: int, epochs: int) -> Rate:
    """learning_rate * (cos(pi * epoch / epochs) + 1) / 2, epoch being step // step_each_epoch.

    `step` counts the runs of the program, or the steps of the optimizer in the imperative mode.

    Args:
        learning_rate: the initial learning rate, a number or a float32 variable of shape [1].
        step_each_epoch: the number of steps per epoch.
        epochs: the number of epochs.

    Returns:
        A float32 variable of shape [1]; in the imperative mode a LearningRateDecay object.

    Example:
        >>> rate = fluid.layers.cosine_decay(0.2, step_each_epoch=1, epochs=2)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> startup = exe.run(fluid.default_startup_program())
        >>> [round(float(exe.run(fetch_list=[rate])[0][0]), 4) for step in range(2)]
        [0.2, 0.1]
    """
    with _schedule():
        epoch = floor(_decay_step_counter() / step_each_epoch)
        return learning_rate * 0.5 * (cos(epoch * math.pi / epochs) + 1)


cosine_decay.imperative(decay.CosineDecay)


@per_mode
def linear_lr_warmup(learning_rate: Rate, warmup_steps: int, start_lr: float, end_lr: float) -> Rate:
    """From start_lr to end_lr in a straight line over warmup_steps, then `learning_rate`.

    `step` counts the runs of the program, or the steps of the optimizer in the imperative mode.

    Args:
        learning_rate: the rate after the warm-up: a number, a variable of shape [1], or in the imperative mode another
            LearningRateDecay.
        warmup_steps: the number of steps of the warm-up.
        start_lr: the learning rate at the start of the warm-up.
        end_lr: the learning rate at its end.

    Returns:
        A float32 variable of shape [1]; in the imperative mode a LearningRateDecay object.

    Example:
        >>> rate = fluid.layers.linear_lr_warmup(0.5, warmup_steps=2, start_lr=0.0, end_lr=0.5)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> startup = exe.run(fluid.default_startup_program())
        >>> [float(exe.run(fetch_list=[rate])[0][0]) for step in range(3)]
        [0.0, 0.25, 0.5]
    """
    if isinstance(learning_rate, str):  # Fluid: the text of a number too
        learning_rate = number_or_text("linear_lr_warmup: learning_rate", learning_rate)
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


linear_lr_warmup.imperative(decay.LinearLrWarmup)


def _schedule() -> AbstractContextManager[None]:
    """Operators written inside are marked as a learning-rate schedule."""
    return programs.default_main_program()._lr_schedule_guard()


def _free(name: str) -> str:
    """The name itself, unless an earlier schedule of the program has it."""
    return unique_name.generate(name) if name in programs.default_main_program().global_block().vars else name


def _decay_step_counter(begin: int = 0) -> BaseVariable:
    """The number of the present run as a float."""
    counter = autoincreased_step_counter(COUNTER, begin, 1)
    return cast(counter, in_dtype=int(counter.dtype), out_dtype=int(VarType.FP32))


def _periods(decay_steps: int, staircase: bool) -> BaseVariable:
    """How often decay_steps fits into the steps so far; whole times if staircase."""
    if not decay_steps:
        raise ArgumentError("decay_steps must not be 0")
    periods = _decay_step_counter() / decay_steps
    return floor(periods) if staircase else periods
