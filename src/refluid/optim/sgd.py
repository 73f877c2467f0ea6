"""SGD: plain gradient descent."""

from __future__ import annotations

from typing import Any

from refluid.ops.optim.sgd import sgd
from refluid.optim.optimizer import Optimizer
from refluid.optim.update import Update


class SGDOptimizer(Optimizer):
    """param -= learning_rate * gradient."""

    type = "sgd"

    def __init__(
        self, learning_rate: Any, parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None,
        name: str | None = None,
    ):  # fmt: skip
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        return Update(sgd, {"Param": param, "Grad": grad, "LearningRate": lr}, {})


SGD = SGDOptimizer
