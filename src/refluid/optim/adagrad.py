"""Adagrad and DecayedAdagrad: learning rates per element that shrink with the gradients seen."""

from __future__ import annotations

from typing import Any

from refluid.ops.optim.adagrad import adagrad
from refluid.ops.optim.decayed_adagrad import decayed_adagrad
from refluid.optim.optimizer import Optimizer
from refluid.optim.update import Update


class AdagradOptimizer(Optimizer):
    """moment += gradient ** 2; param -= learning_rate * gradient / (sqrt(moment) + epsilon)."""

    type = "adagrad"
    _moment_acc_str = "moment"

    def __init__(
        self, learning_rate: Any, epsilon: float = 1e-6, parameter_list: Any = None, regularization: Any = None,
        grad_clip: Any = None, name: str | None = None, initial_accumulator_value: float = 0.0,
    ):  # fmt: skip
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._epsilon, self.initial_accumulator_value = epsilon, initial_accumulator_value

    def _create_accumulators(self, block: Any, parameters: list[Any]) -> None:
        for param in parameters:
            self._add_accumulator(self._moment_acc_str, param, fill_value=self.initial_accumulator_value)

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        moment = self._get_accumulator(self._moment_acc_str, param)
        inputs = {"Param": param, "Grad": grad, "Moment": moment, "LearningRate": lr}
        return Update(adagrad, inputs, {"epsilon": self._epsilon})


class DecayedAdagradOptimizer(Optimizer):
    """Adagrad that forgets: moment = decay * moment + (1 - decay) * gradient ** 2."""

    type = "decayed_adagrad"
    _moment_acc_str = "moment"

    def __init__(
        self, learning_rate: Any, decay: float = 0.95, epsilon: float = 1e-6, parameter_list: Any = None,
        regularization: Any = None, grad_clip: Any = None, name: str | None = None,
    ):  # fmt: skip
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._decay, self._epsilon = decay, epsilon

    def _create_accumulators(self, block: Any, parameters: list[Any]) -> None:
        for param in parameters:
            self._add_accumulator(self._moment_acc_str, param)

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        moment = self._get_accumulator(self._moment_acc_str, param)
        inputs = {"Param": param, "Grad": grad, "Moment": moment, "LearningRate": lr}
        return Update(decayed_adagrad, inputs, {"decay": self._decay, "epsilon": self._epsilon})


Adagrad = AdagradOptimizer
DecayedAdagrad = DecayedAdagradOptimizer
