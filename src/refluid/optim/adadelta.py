"""Adadelta: steps as long as the recent ones (Zeiler, 2012)."""

from __future__ import annotations

from typing import Any

from refluid.ops.optim.adadelta import adadelta
from refluid.optim.optimizer import Optimizer
from refluid.optim.update import Update


class AdadeltaOptimizer(Optimizer):
    """param -= sqrt((mean update ** 2 + epsilon) / (mean gradient ** 2 + epsilon)) * gradient.

    Args:
        learning_rate: not used, as in Fluid.
        rho: how slowly the means forget.
    """

    type = "adadelta"
    _avg_squared_grad_acc_str, _avg_squared_update_acc_str = "_avg_squared_grad", "_avg_squared_update"

    def __init__(
        self, learning_rate: Any, epsilon: float = 1e-6, rho: float = 0.95, parameter_list: Any = None,
        regularization: Any = None, grad_clip: Any = None, name: str | None = None,
    ):  # fmt: skip
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._epsilon, self._rho = epsilon, rho

    def _create_accumulators(self, block: Any, parameters: list[Any]) -> None:
        for param in parameters:
            self._add_accumulator(self._avg_squared_grad_acc_str, param)
            self._add_accumulator(self._avg_squared_update_acc_str, param)

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        inputs = {
            "Param": param,
            "Grad": grad,
            "AvgSquaredGrad": self._get_accumulator(self._avg_squared_grad_acc_str, param),
            "AvgSquaredUpdate": self._get_accumulator(self._avg_squared_update_acc_str, param),
        }
        return Update(adadelta, inputs, {"epsilon": self._epsilon, "rho": self._rho})


Adadelta = AdadeltaOptimizer
