"""Lamb: Adam with a step per layer, for very large batches (You et al., 2019)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.ops.optim.lamb import lamb
from refluid.optim.adam import AdamOptimizer
from refluid.optim.regularizer import WeightDecayRegularizer
from refluid.optim.update import Update


class LambOptimizer(AdamOptimizer):
    """Adam's direction plus weight decay, as long as |param| per layer.

    Args:
        lamb_weight_decay: how strongly parameters are drawn to zero.
        exclude_from_weight_decay_fn: a function of a parameter; those for which it is true have no weight decay.
    """

    type = "lamb"

    def __init__(
        self, learning_rate: Any = 0.001, lamb_weight_decay: float = 0.01, beta1: float = 0.9, beta2: float = 0.999,
        epsilon: float = 1e-6, parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None,
        exclude_from_weight_decay_fn: Callable[[Any], bool] | None = None, name: str | None = None,
    ):  # fmt: skip
        if callable(regularization) and not isinstance(regularization, WeightDecayRegularizer):
            # 1.5: (.., regularization, exclude_from_weight_decay_fn, name)
            exclude_from_weight_decay_fn, name = regularization, grad_clip or name
            parameter_list, regularization, grad_clip = None, parameter_list, None
        super().__init__(learning_rate, beta1, beta2, epsilon, parameter_list, regularization, grad_clip, name)
        self._weight_decay, self._exclude = lamb_weight_decay, exclude_from_weight_decay_fn

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        excluded = self._exclude is not None and self._exclude(param)
        attrs = {
            "beta1": self._beta1,
            "beta2": self._beta2,
            "epsilon": self._epsilon,
            "weight_decay": 0.0 if excluded else self._weight_decay,
        }
        return Update(lamb, self._inputs(param, grad, lr), attrs)


Lamb = LambOptimizer
