"""RMSProp (Hinton)."""

from __future__ import annotations

from typing import Any

from refluid.ops.optim.rmsprop import rmsprop
from refluid.optim.optimizer import Optimizer
from refluid.optim.update import Update


class RMSPropOptimizer(Optimizer):
    """The gradient over its recent root mean square, with momentum.

    Args:
        rho: how slowly the mean square forgets.
        momentum: how much of the last step is added.
        centered: take the mean off, which makes the mean square a variance.
    """

    type = "rmsprop"
    _momentum_acc_str, _mean_square_acc_str, _mean_grad_acc_str = "momentum", "mean_square", "mean_grad"

    def __init__(
        self, learning_rate: Any, rho: float = 0.95, epsilon: float = 1e-6, momentum: float = 0.0,
        centered: bool = False, parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None,
        name: str | None = None,
    ):  # fmt: skip
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._rho, self._epsilon, self._momentum, self._centered = rho, epsilon, momentum, centered

    def _create_accumulators(self, block: Any, parameters: list[Any]) -> None:
        for param in parameters:
            for name in (self._momentum_acc_str, self._mean_square_acc_str, self._mean_grad_acc_str):
                self._add_accumulator(name, param)

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        inputs = {
            "Param": param,
            "Grad": grad,
            "Moment": self._get_accumulator(self._momentum_acc_str, param),
            "MeanSquare": self._get_accumulator(self._mean_square_acc_str, param),
            "MeanGrad": self._get_accumulator(self._mean_grad_acc_str, param),
            "LearningRate": lr,
        }
        attrs = {"epsilon": self._epsilon, "decay": self._rho, "momentum": self._momentum, "centered": self._centered}
        return Update(rmsprop, inputs, attrs)


RMSProp = RMSPropOptimizer
