"""Dpsgd: gradient descent with differential privacy (Abadi et al., 2016)."""

from __future__ import annotations

from typing import Any

from refluid.ops.optim.dpsgd import dpsgd
from refluid.optim.optimizer import Optimizer
from refluid.optim.update import Update


class DpsgdOptimizer(Optimizer):
    """Clips each gradient to the norm `clip` and adds noise of deviation sigma / batch_size."""

    type = "dpsgd"

    def __init__(
        self, learning_rate: Any = 0.001, clip: float = 0.9, batch_size: float = 0.999, sigma: float = 1e-8,
        parameter_list: Any = None,
    ):  # fmt: skip
        super().__init__(learning_rate, parameter_list)
        self._clip_norm, self._batch_size, self._sigma = clip, batch_size, sigma
        self._seed: int | None = None  # set by those who want the same noise in every run

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        attrs = {"clip": self._clip_norm, "batch_size": self._batch_size, "sigma": self._sigma, "seed": self._seed or 0}
        return Update(dpsgd, {"Param": param, "Grad": grad, "LearningRate": lr}, attrs)


Dpsgd = DpsgdOptimizer
