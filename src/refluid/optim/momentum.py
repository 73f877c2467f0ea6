"""Momentum, and LARS: momentum with a learning rate per layer."""

from __future__ import annotations

from typing import Any

from refluid.ops.optim.lars_momentum import lars_momentum
from refluid.ops.optim.momentum import momentum as momentum_op
from refluid.optim.optimizer import Optimizer
from refluid.optim.update import Update


class MomentumOptimizer(Optimizer):
    """velocity = momentum * velocity + gradient; param -= learning_rate * velocity.

    Args:
        momentum: how much of the velocity stays.
        use_nesterov: take the gradient as if the next step along the velocity were done.
    """

    type = "momentum"
    _velocity_acc_str = "velocity"

    def __init__(
        self, learning_rate: Any, momentum: float, parameter_list: Any = None, use_nesterov: Any = False,
        regularization: Any = None, grad_clip: Any = None, name: str | None = None,
    ):  # fmt: skip
        if isinstance(parameter_list, bool):  # 1.4 and 1.5: (.., use_nesterov, regularization, name)
            name = regularization if isinstance(regularization, str) else name
            regularization = use_nesterov if not isinstance(use_nesterov, bool) else None
            parameter_list, use_nesterov = None, parameter_list
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._momentum, self._use_nesterov = momentum, bool(use_nesterov)

    def _create_accumulators(self, block: Any, parameters: list[Any]) -> None:
        for param in parameters:
            self._add_accumulator(self._velocity_acc_str, param)

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        velocity = self._get_accumulator(self._velocity_acc_str, param)
        inputs = {"Param": param, "Grad": grad, "Velocity": velocity, "LearningRate": lr}
        return Update(momentum_op, inputs, {"mu": self._momentum, "use_nesterov": self._use_nesterov})


class LarsMomentumOptimizer(Optimizer):
    """Momentum with the learning rate times |param| / (|gradient| + lars_weight_decay * |param|) (You et al., 2017)."""

    type = "lars_momentum"
    _velocity_acc_str = "velocity"

    def __init__(
        self, learning_rate: Any, momentum: float, lars_coeff: float = 0.001, lars_weight_decay: float = 0.0005,
        parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None, name: str | None = None,
    ):  # fmt: skip
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._momentum, self._lars_coeff, self._lars_weight_decay = (
            momentum,
            float(lars_coeff),
            float(lars_weight_decay),
        )

    def _create_accumulators(self, block: Any, parameters: list[Any]) -> None:
        for param in parameters:
            self._add_accumulator(self._velocity_acc_str, param)

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        velocity = self._get_accumulator(self._velocity_acc_str, param)
        inputs = {"Param": param, "Grad": grad, "Velocity": velocity, "LearningRate": lr}
        attrs = {"mu": self._momentum, "lars_coeff": self._lars_coeff, "lars_weight_decay": self._lars_weight_decay}
        return Update(lars_momentum, inputs, attrs)


Momentum = MomentumOptimizer
LarsMomentum = LarsMomentumOptimizer
