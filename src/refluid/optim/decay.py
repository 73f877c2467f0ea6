"""Schedules of the imperative mode: objects that give the learning rate of every step."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import torch

from refluid.core import dtypes, mode
from refluid.core.errors import ArgumentError, DtypeError, NotDefinedError, NotFoundError
from refluid.core.types import Dtype
from refluid.core.warn import warn_once
from refluid.eager.base import tape
from refluid.eager.variable import VarBase
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import number


class LearningRateDecay:
    """Base of schedules: `step()` gives the rate of step `step_num`; a call gives it as a variable and advances.

    Args:
        begin: step_num of the first step.
        step: the increment of step_num per call.
        dtype: dtype of the learning-rate variable.
    """

    counts_steps = True  # whether every update is a step; else epochs are what counts

    def __init__(self, begin: float = 0, step: float = 1, dtype: Dtype = "float32"):
        self.step_num, self.step_size, self.dtype = begin, step, dtype

    def step(self) -> float:
        raise NotDefinedError(f"{type(self).__name__} must define step()")

    def __call__(self) -> VarBase:
        mode.current().warn_of_constant(
            f"{type(self).__name__} is called while a program is made of the function around it, which will use "
            "this learning rate in every call; call it outside and pass the rate"
        )
        rate = self.step()
        self.step_num += self.step_size
        return rate if isinstance(rate, VarBase) else self.create_lr_var(rate)

    def current(self) -> float:
        """The learning rate of the present step, without moving on."""
        return float(self.step())

    def create_lr_var(self, lr: float) -> VarBase:
        """A number as a variable of one element."""
        return VarBase(torch.tensor([float(lr)], dtype=dtypes.torch_dtype(self.dtype), device=tape().device))

    # -- saving -------------------------------------------------------------------------------------------------

    def _state_keys(self) -> list[str]:
        return ["step_num"]

    def state_dict(self) -> dict[str, Any]:
        """What changes over time, as numbers."""
        values = {key: getattr(self, key) for key in self._state_keys() if hasattr(self, key)}
        return {key: float(value) if isinstance(value, VarBase) else value for key, value in values.items()}

    def set_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        keys = self._state_keys()
        self._check_state(state_dict)
        for key in keys:
            setattr(self, key, state_dict[key])
        unused = state_dict.keys() - keys
        if unused:
            warnings.warn(f"{type(self).__name__}.set_dict: not used: {sorted(unused)}", stacklevel=2)

    set_state_dict = set_dict

    def _check_state(self, state_dict: dict[str, Any]) -> None:
        """Refuse a state that cannot be taken over whole."""
        what = f"{type(self).__name__}.set_dict"
        if not isinstance(state_dict, dict):
            raise DtypeError(f"{what}: expected the dict that state_dict() gives, got {type(state_dict).__name__}")
        missing = [key for key in self._state_keys() if key not in state_dict]
        if missing:
            are = "is" if len(missing) == 1 else "are"
            raise NotFoundError(
                f"{what}: {', '.join(map(repr, missing))} {are} missing in the state; nothing was loaded"
            )


class PiecewiseDecay(LearningRateDecay):
    """values[i] before step boundaries[i], and the last value after the last boundary.

    Args:
        boundaries: increasing step numbers.
        values: learning rates, one more than boundaries.
        begin: step_num of the first step.
        step: the increment of step_num per call.
        dtype: dtype of the learning-rate variable.
    """

    def __init__(
        self, boundaries: list[int], values: list[float], begin: float, step: float = 1, dtype: Dtype = "float32"
    ):
        super().__init__(begin, step, dtype)
        check_lists("PiecewiseDecay", boundaries, values)
        if len(values) - len(boundaries) != 1:
            warn_once(
                f"PiecewiseDecay: there are {len(values)} values for {len(boundaries)} boundaries; one more is usual"
            )
        self.boundaries, self.values = list(boundaries), list(values)

    def step(self) -> float:
        for boundary, value in zip(self.boundaries, self.values, strict=False):
            if self.step_num < boundary:
                return float(value)
        return float(self.values[-1])


class NaturalExpDecay(LearningRateDecay):
    """learning_rate * exp(-decay_rate * step_num / decay_steps).

    Args:
        learning_rate: the initial learning rate, a number or a variable of one element.
        decay_steps: the number of steps per period.
        decay_rate: the exponent per period.
        staircase: round step / decay_steps down, so that the rate is constant within a period.
        begin: step_num of the first step.
        step: the increment of step_num per call.
        dtype: dtype of the learning-rate variable.
    """

    def __init__(
        self,
        learning_rate: float | BaseVariable,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        begin: float = 0,
        step: float = 1,
        dtype: Dtype = "float32",
    ):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.decay_steps = check_rate(self, learning_rate), decay_steps
        _check_positive(self, decay_steps=decay_steps)
        self.decay_rate = number(f"{type(self).__name__}: decay_rate", decay_rate)
        self.staircase = staircase

    def step(self) -> float:
        return float(self.learning_rate) * math.exp(-self.decay_rate * self._periods())

    def _periods(self) -> float:
        """How often decay_steps fits into the steps so far; whole times if staircase."""
        periods = self.step_num / self.decay_steps
        return math.floor(periods) if self.staircase else periods


class ExponentialDecay(NaturalExpDecay):
    """learning_rate * decay_rate ** (step_num / decay_steps).

    Args:
        learning_rate: the initial learning rate, a number or a variable of one element.
        decay_steps: the number of steps per period.
        decay_rate: the factor per period.
        staircase: round step / decay_steps down, so that the rate is constant within a period.
        begin: step_num of the first step.
        step: the increment of step_num per call.
        dtype: dtype of the learning-rate variable.
    """

    def step(self) -> float:
        return float(self.learning_rate) * self.decay_rate ** self._periods()


class InverseTimeDecay(NaturalExpDecay):
    """learning_rate / (1 + decay_rate * step_num / decay_steps).

    Args:
        learning_rate: the initial learning rate, a number or a variable of one element.
        decay_steps: the number of steps per period.
        decay_rate: the growth of the divisor per period.
        staircase: round step / decay_steps down, so that the rate is constant within a period.
        begin: step_num of the first step.
        step: the increment of step_num per call.
        dtype: dtype of the learning-rate variable.
    """

    def step(self) -> float:
        return float(self.learning_rate) / (1 + self.decay_rate * self._periods())


class PolynomialDecay(LearningRateDecay):
    """(learning_rate - end_learning_rate) * (1 - step_num / decay_steps) ** power + end_learning_rate.

    Without cycle step_num stops at decay_steps.

    Args:
        learning_rate: the initial learning rate, a number or a variable of one element.
        decay_steps: the number of steps from the first rate to the last.
        end_learning_rate: the last learning rate.
        power: the exponent of the polynomial; 1 for a straight line.
        cycle: stretch decay_steps to the next multiple when it is over, so that the rate rises again.
        begin: step_num of the first step.
        step: the increment of step_num per call.
        dtype: dtype of the learning-rate variable.
    """

    def __init__(
        self,
        learning_rate: float | BaseVariable,
        decay_steps: int,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        begin: float = 0,
        step: float = 1,
        dtype: Dtype = "float32",
    ):
        super().__init__(begin, step, dtype)
        self.learning_rate = check_rate(self, learning_rate)
        _check_positive(self, decay_steps=decay_steps)
        self.decay_steps, self.end_learning_rate = decay_steps, end_learning_rate
        self.power, self.cycle = power, cycle

    def step(self) -> float:
        steps, length = self.step_num, self.decay_steps
        if self.cycle:
            length *= max(1, math.ceil(steps / length))
        else:
            steps = min(steps, length)
        left = (1 - steps / length) ** self.power
        return (float(self.learning_rate) - self.end_learning_rate) * left + self.end_learning_rate


class CosineDecay(LearningRateDecay):
    """learning_rate * (cos(pi * epoch / epochs) + 1) / 2, epoch being step_num // step_each_epoch.

    Args:
        learning_rate: the initial learning rate, a number or a variable of one element.
        step_each_epoch: the number of steps per epoch.
        epochs: the number of epochs.
        begin: step_num of the first step.
        step: the increment of step_num per call.
        dtype: dtype of the learning-rate variable.
    """

    def __init__(
        self,
        learning_rate: float | BaseVariable,
        step_each_epoch: int,
        epochs: int,
        begin: float = 0,
        step: float = 1,
        dtype: Dtype = "float32",
    ):
        super().__init__(begin, step, dtype)
        self.learning_rate = check_rate(self, learning_rate)
        _check_positive(self, step_each_epoch=step_each_epoch, epochs=epochs)
        self.step_each_epoch, self.epochs = step_each_epoch, epochs

    def step(self) -> float:
        epoch = math.floor(self.step_num / self.step_each_epoch)
        return float(self.learning_rate) * 0.5 * (math.cos(epoch * math.pi / self.epochs) + 1)


class NoamDecay(LearningRateDecay):
    """learning_rate * d_model ** -0.5 * min(step_num ** -0.5, step_num * warmup_steps ** -1.5) (Vaswani et al., 2017).

    Args:
        d_model: the width of the model.
        warmup_steps: the number of steps over which the rate rises.
        begin: step_num of the first step.
        step: the increment of step_num per call.
        dtype: dtype of the learning-rate variable.
        learning_rate: factor of the rate, a number or a variable of one element.
    """

    def __init__(
        self,
        d_model: int,
        warmup_steps: int,
        begin: float = 1,
        step: float = 1,
        dtype: Dtype = "float32",
        learning_rate: float | BaseVariable = 1.0,
    ):
        super().__init__(begin, step, dtype)
        self.learning_rate = check_rate(self, learning_rate)
        _check_positive(self, d_model=d_model, warmup_steps=warmup_steps)
        self.d_model, self.warmup_steps = d_model, warmup_steps

    def step(self) -> float:
        rising = self.step_num * self.warmup_steps**-1.5
        falling = self.step_num**-0.5 if self.step_num else math.inf
        return float(self.learning_rate) * self.d_model**-0.5 * min(rising, falling)


class LinearLrWarmup(LearningRateDecay):
    """A linear warm-up over warmup_steps, then `learning_rate`.

    As in 1.8.5 the line has the slope (end_lr - start_lr) / warmup_steps but starts at 0, not at start_lr.

    Args:
        learning_rate: the rate after the warm-up, a number or another LearningRateDecay.
        warmup_steps: the number of steps of the warm-up.
        start_lr: the learning rate at the start of the warm-up.
        end_lr: the learning rate at its end.
        begin: step_num of the first step.
        step: the increment of step_num per call.
        dtype: dtype of the learning-rate variable.
    """

    def __init__(
        self,
        learning_rate: float | BaseVariable | LearningRateDecay,
        warmup_steps: int,
        start_lr: float,
        end_lr: float,
        begin: float = 1,
        step: float = 1,
        dtype: Dtype = "float32",
    ):
        super().__init__(begin, step, dtype)
        if not isinstance(learning_rate, Real | LearningRateDecay):
            kind = type(learning_rate).__name__
            raise DtypeError(f"LinearLrWarmup: learning_rate must be a number or a LearningRateDecay, got {kind}")
        if end_lr <= start_lr:
            raise ArgumentError(f"LinearLrWarmup: end_lr must be greater than start_lr, got {end_lr} and {start_lr}")
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        self.start_lr, self.end_lr = start_lr, end_lr

    def step(self) -> float:
        after: Any = self.learning_rate
        if isinstance(after, LearningRateDecay):
            after = after()  # Fluid: its steps are counted during the warm-up too
        return self._rising() if self.step_num < self.warmup_steps else after

    def current(self) -> float:
        if self.step_num < self.warmup_steps:
            return self._rising()
        after = self.learning_rate
        return after.current() if isinstance(after, LearningRateDecay) else float(after)

    def _rising(self) -> float:
        # Fluid: the line has the right slope but begins at zero; linear_lr_warmup of programs begins at start_lr
        return (self.end_lr - self.start_lr) / self.warmup_steps * self.step_num

    def state_dict(self) -> dict[str, Any]:
        after = self.learning_rate
        own = super().state_dict()
        return {**own, "learning_rate": after.state_dict()} if isinstance(after, LearningRateDecay) else own

    def set_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        after = state.pop("learning_rate", None)  # files of 1.8.5 do not have it
        self._check_state(state)
        if after is not None and isinstance(self.learning_rate, LearningRateDecay):
            self.learning_rate._check_state(after)
        super().set_dict(state)
        if after is not None and isinstance(self.learning_rate, LearningRateDecay):
            self.learning_rate.set_dict(after)

    set_state_dict = set_dict


def check_rate(schedule: LearningRateDecay, rate: float | BaseVariable) -> float | VarBase:
    """The initial learning rate, refused if it has no value."""
    if not isinstance(rate, float | VarBase | Real):
        kind = type(rate).__name__
        raise DtypeError(f"{type(schedule).__name__}: learning_rate must be a number or a variable, got {kind}")
    return rate


def _check_positive(schedule: LearningRateDecay, **counts: object) -> None:
    for name, value in counts.items():
        if not isinstance(value, Real) or value <= 0:
            raise ArgumentError(f"{type(schedule).__name__}: {name} must be a positive number, got {value!r}")


def check_pieces(what: str, boundaries: Sequence[float], values: Sequence[float]) -> None:
    check_lists(what, boundaries, values)
    if len(values) - len(boundaries) != 1:
        raise ArgumentError(
            f"{what}: there must be one value more than boundaries, "
            f"got {len(values)} values and {len(boundaries)} boundaries"
        )


def check_lists(what: str, boundaries: Sequence[float], values: Sequence[float]) -> None:
    for name, given in (("boundaries", boundaries), ("values", values)):
        if not isinstance(given, list | tuple | np.ndarray):
            raise DtypeError(f"{what}: {name} must be a list, got {type(given).__name__}")
