"""Lamb: Adam with a step per layer, for very large batches (You et al., 2019)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.ir.base_variable import BaseVariable
from refluid.ops.optim.lamb import lamb
from refluid.optim.adam import AdamOptimizer
from refluid.optim.clip import GradientClipBase
from refluid.optim.generations import without_parameter_lists
from refluid.optim.optimizer import Parameters, Rate
from refluid.optim.regularizer import WeightDecayRegularizer
from refluid.optim.update import Update


class LambOptimizer(AdamOptimizer):
    """LAMB: Adam's direction plus weight decay, scaled per parameter by |param| / |direction|, for very large batches.

    direction = moment1 / (sqrt(moment2) + epsilon) + lamb_weight_decay * param; as in 1.8.5 the bias of Adam's moments
    is not corrected
    param -= learning_rate * |param| / |direction| * direction

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        lamb_weight_decay: factor of the weight decay.
        beta1: decay rate of the first moment.
        beta2: decay rate of the second moment.
        epsilon: a small number that keeps the division finite.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.
        exclude_from_weight_decay_fn: a function of a parameter; those for which it is true have no weight decay.
    """

    type = "lamb"

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        parameter_list: Parameters = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        exclude_from_weight_decay_fn: Callable[[Any], bool] | None = None,
        name: str | None = None,
    ):
        super().__init__(learning_rate, beta1, beta2, epsilon, parameter_list, regularization, grad_clip, name)
        self._weight_decay, self._exclude = lamb_weight_decay, exclude_from_weight_decay_fn

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        excluded = self._exclude is not None and self._exclude(param)
        attrs = {
            "beta1": self._beta1,
            "beta2": self._beta2,
            "epsilon": self._epsilon,
            "weight_decay": 0.0 if excluded else self._weight_decay,
        }
        return Update(lamb, self._inputs(param, grad, lr), attrs)


Lamb = LambOptimizer
