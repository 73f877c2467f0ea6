"""Ftrl: follow the regularized leader (McMahan et al., 2013)."""

from __future__ import annotations

from typing import Any

from refluid.ops.optim.ftrl import ftrl
from refluid.optim.optimizer import Optimizer
from refluid.optim.update import Update


class FtrlOptimizer(Optimizer):
    """For sparse linear models: many parameters become exactly zero.

    Args:
        l1: strength of both penalties, absolute and squared.
        l2: not used, as in Fluid.
        lr_power: the learning rate falls with the sum of squares to this power.
    """

    type = "ftrl"
    _squared_acc_str, _linear_acc_str = "squared", "linear"

    def __init__(
        self, learning_rate: Any, l1: float = 0.0, l2: float = 0.0, lr_power: float = -0.5, parameter_list: Any = None,
        regularization: Any = None, grad_clip: Any = None, name: str | None = None,
    ):  # fmt: skip
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._l1, self._lr_power = l1, lr_power

    def _create_accumulators(self, block: Any, parameters: list[Any]) -> None:
        for param in parameters:
            self._add_accumulator(self._squared_acc_str, param)
            self._add_accumulator(self._linear_acc_str, param)

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        inputs = {
            "Param": param,
            "Grad": grad,
            "SquaredAccumulator": self._get_accumulator(self._squared_acc_str, param),
            "LinearAccumulator": self._get_accumulator(self._linear_acc_str, param),
            "LearningRate": lr,
        }
        # Fluid: the operator gets l1 for both
        return Update(ftrl, inputs, {"l1": self._l1, "l2": self._l1, "lr_power": self._lr_power})


Ftrl = FtrlOptimizer
