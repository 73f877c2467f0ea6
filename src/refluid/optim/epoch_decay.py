"""Schedules of the imperative mode that advance by epochs, or when the loss stops improving."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from numbers import Integral, Real

import numpy as np

from refluid.core.errors import ArgumentError, DtypeError, NotDefinedError, ShapeError
from refluid.core.types import Dtype
from refluid.eager.variable import VarBase
from refluid.layers.checks import number
from refluid.optim.decay import LearningRateDecay


class EpochDecay(LearningRateDecay):
    """Base: `get_lr()` gives the learning rate of epoch `epoch_num`; `epoch()` begins the next one.

    Args:
        learning_rate: the initial learning rate.
        dtype: dtype of the learning-rate variable.
    """

    counts_steps = False

    def __init__(self, learning_rate: float, dtype: Dtype = "float32"):
        _check_rate(type(self).__name__, learning_rate)
        self.dtype, self.base_lr, self.epoch_num = dtype, float(learning_rate), -1
        self.epoch()

    def __call__(self) -> VarBase:
        return self.create_lr_var(self.learning_rate)

    def get_lr(self) -> float:
        raise NotDefinedError(f"{type(self).__name__} must define get_lr()")

    def epoch(self, epoch: int | None = None) -> None:
        """Begin the next epoch, or the given one."""
        self.epoch_num = self.epoch_num + 1 if epoch is None else epoch
        self.learning_rate = self.get_lr()

    def step(self) -> float:
        return self.learning_rate

    def _state_keys(self) -> list[str]:
        return ["epoch_num", "learning_rate"]


class StepDecay(EpochDecay):
    """learning_rate * decay_rate ** (epoch // step_size); call `epoch()` after every epoch.

    Args:
        learning_rate: the initial learning rate.
        step_size: the number of epochs per period.
        decay_rate: the factor per period, smaller than 1.
    """

    def __init__(self, learning_rate: float, step_size: int, decay_rate: float = 0.1):
        if not isinstance(step_size, Integral):
            raise DtypeError(f"StepDecay: step_size must be an int, got {type(step_size).__name__}")
        _check_decay("StepDecay", decay_rate)
        self.step_size: int = step_size
        self.decay_rate: float = decay_rate
        super().__init__(learning_rate)

    def get_lr(self) -> float:
        return self.base_lr * self.decay_rate ** (self.epoch_num // self.step_size)


class MultiStepDecay(EpochDecay):
    """learning_rate * decay_rate ** (number of milestones reached); call `epoch()` after every epoch.

    Args:
        learning_rate: the initial learning rate.
        milestones: increasing epoch numbers.
        decay_rate: the factor per milestone, smaller than 1.
    """

    def __init__(self, learning_rate: float, milestones: list[int], decay_rate: float = 0.1):
        if not isinstance(milestones, list | tuple):
            raise DtypeError(f"MultiStepDecay: milestones must be a list, got {type(milestones).__name__}")
        if any(b <= a for a, b in itertools.pairwise(milestones)):
            raise ArgumentError(f"MultiStepDecay: milestones must increase, got {list(milestones)}")
        _check_decay("MultiStepDecay", decay_rate)
        self.milestones, self.decay_rate = milestones, decay_rate
        super().__init__(learning_rate)

    def get_lr(self) -> float:
        return self.base_lr * self.decay_rate ** sum(self.epoch_num >= milestone for milestone in self.milestones)


class LambdaDecay(EpochDecay):
    """learning_rate * lr_lambda(epoch); call `epoch()` after every epoch.

    Args:
        learning_rate: the initial learning rate.
        lr_lambda: a function from the epoch number to a factor.
    """

    def __init__(self, learning_rate: float, lr_lambda: Callable[[int], float]):
        if not callable(lr_lambda):
            raise DtypeError(f"LambdaDecay: lr_lambda must be a function, got {type(lr_lambda).__name__}")
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate)

    def get_lr(self) -> float:
        return self.base_lr * self.lr_lambda(self.epoch_num)


class ReduceLROnPlateau(LearningRateDecay):
    """Multiply the learning rate by decay_rate when `step(loss)` has seen no improvement `patience` times.

    Args:
        learning_rate: the initial learning rate.
        mode: "min" if a smaller loss is better, "max" otherwise.
        decay_rate: the factor of a reduction, smaller than 1.
        patience: the number of epochs without improvement before a reduction.
        verbose: print a line for every reduction.
        threshold: the least difference that counts as an improvement.
        threshold_mode: "rel" if the threshold is a fraction of the best loss, "abs" if it is a difference.
        cooldown: the number of epochs to wait after a reduction.
        min_lr: the least learning rate.
        eps: a reduction smaller than this is not made.
        dtype: dtype of the learning-rate variable.
    """

    def __init__(
        self, learning_rate: float, mode: str = "min", decay_rate: float = 0.1, patience: int = 10,
        verbose: bool = False, threshold: float = 1e-4,
        threshold_mode: str = "rel", cooldown: int = 0, min_lr: float = 0, eps: float = 1e-8,
        dtype: Dtype = "float32",
    ):  # fmt: skip
        super().__init__(dtype=dtype)
        mode, threshold_mode = mode.lower(), threshold_mode.lower()
        if mode not in ("min", "max"):
            raise ArgumentError(f"ReduceLROnPlateau: mode must be 'min' or 'max', got {mode!r}")
        if threshold_mode not in ("rel", "abs"):
            raise ArgumentError(f"ReduceLROnPlateau: threshold_mode must be 'rel' or 'abs', got {threshold_mode!r}")
        _check_decay("ReduceLROnPlateau", decay_rate)
        _check_rate("ReduceLROnPlateau", learning_rate)
        self.mode, self.decay_rate, self.patience, self.verbose = mode, decay_rate, patience, verbose
        self.threshold, self.threshold_mode, self.cooldown = threshold, threshold_mode, cooldown
        self.min_lr, self.eps = min_lr, eps
        self.learning_rate = float(learning_rate)
        self.cooldown_counter = self.num_bad_epochs = self.epoch_num = 0
        self.best_loss: float | None = None

    def __call__(self) -> VarBase:
        return self.create_lr_var(self.learning_rate)

    def current(self) -> float:
        return self.learning_rate

    def step(self, loss: float | VarBase | np.ndarray) -> None:  # type: ignore[override]  # Fluid: it takes the loss of an epoch
        if isinstance(loss, VarBase) and loss._t.numel() != 1:
            raise ShapeError(f"ReduceLROnPlateau: the loss must have one element, got {loss.shape}")
        value = float(loss) if isinstance(loss, VarBase | np.ndarray) else number("ReduceLROnPlateau: the loss", loss)
        self.epoch_num += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best_loss is None or self._better(value, self.best_loss):
            self.best_loss, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
            self._reduce()

    def _reduce(self) -> None:
        new = max(self.learning_rate * self.decay_rate, self.min_lr)
        if self.learning_rate - new > self.eps:
            if self.verbose:
                print(f"Epoch {self.epoch_num}: reducing learning rate from {self.learning_rate} to {new}.")
            self.learning_rate = new

    def _better(self, value: float, best: float) -> bool:
        margin = best * self.threshold if self.threshold_mode == "rel" else self.threshold
        return value < best - margin if self.mode == "min" else value > best + margin

    def _state_keys(self) -> list[str]:
        return ["cooldown_counter", "best_loss", "num_bad_epochs", "epoch_num", "learning_rate"]


def _check_rate(what: str, learning_rate: object) -> None:
    if not isinstance(learning_rate, Real):
        raise DtypeError(f"{what}: learning_rate must be a number, got {type(learning_rate).__name__}")
    if learning_rate < 0:
        raise ArgumentError(f"{what}: learning_rate must not be negative, got {learning_rate}")


def _check_decay(what: str, decay_rate: float) -> None:
    if decay_rate >= 1.0:
        raise ArgumentError(f"{what}: decay_rate must be smaller than 1, got {decay_rate}")
