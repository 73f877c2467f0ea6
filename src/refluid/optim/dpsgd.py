"""Dpsgd: gradient descent with differential privacy (Abadi et al., 2016)."""

from __future__ import annotations

from refluid.ir.base_variable import BaseVariable
from refluid.ops.optim.dpsgd import dpsgd
from refluid.optim.optimizer import Optimizer, Parameters, Rate
from refluid.optim.update import Update


class DpsgdOptimizer(Optimizer):
    """Differentially private SGD: every gradient is clipped to the norm `clip`, and Gaussian noise is added to it.

    As in 1.8.5 one number is drawn for all elements of a parameter.

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        clip: the largest L2 norm of the gradient of a parameter.
        batch_size: the batch size by which the noise is divided.
        sigma: the noise has the standard deviation sigma / batch_size.
        parameter_list: the parameters to update; None for all, as in the other optimizers.
    """

    type = "dpsgd"

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        clip: float = 0.9,
        batch_size: float = 0.999,
        sigma: float = 1e-8,
        parameter_list: Parameters = None,
    ):
        super().__init__(learning_rate, parameter_list)
        self._clip_norm, self._batch_size, self._sigma = clip, batch_size, sigma
        self._seed: int | None = None  # set by those who want the same noise in every run

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        attrs = {"clip": self._clip_norm, "batch_size": self._batch_size, "sigma": self._sigma, "seed": self._seed or 0}
        return Update(dpsgd, {"Param": param, "Grad": grad, "LearningRate": lr}, attrs)


Dpsgd = DpsgdOptimizer
