"""Adadelta: learning rates from the recent updates and gradients (Zeiler, 2012)."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ops.optim.adadelta import adadelta
from refluid.optim.clip import GradientClipBase
from refluid.optim.generations import without_parameter_lists
from refluid.optim.optimizer import Optimizer, Parameters, Rate
from refluid.optim.regularizer import WeightDecayRegularizer
from refluid.optim.update import Update


class AdadeltaOptimizer(Optimizer):
    """Adadelta: the step is scaled by the root mean square of recent updates over that of recent gradients.

    mean_grad2 = rho * mean_grad2 + (1 - rho) * grad ** 2
    update = -sqrt((mean_update2 + epsilon) / (mean_grad2 + epsilon)) * grad
    mean_update2 = rho * mean_update2 + (1 - rho) * update ** 2; param += update

    Args:
        learning_rate: not used, as in Fluid.
        epsilon: a small number that keeps the division finite.
        rho: decay rate of both running means.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.
    """

    type = "adadelta"
    _avg_squared_grad_acc_str, _avg_squared_update_acc_str = "_avg_squared_grad", "_avg_squared_update"

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate,
        epsilon: float = 1e-6,
        rho: float = 0.95,
        parameter_list: Parameters = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
    ):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._epsilon, self._rho = epsilon, rho

    def _create_accumulators(self, block: Block, parameters: Sequence[BaseVariable]) -> None:
        for param in parameters:
            self._add_accumulator(self._avg_squared_grad_acc_str, param)
            self._add_accumulator(self._avg_squared_update_acc_str, param)

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        inputs = {
            "Param": param,
            "Grad": grad,
            "AvgSquaredGrad": self._get_accumulator(self._avg_squared_grad_acc_str, param),
            "AvgSquaredUpdate": self._get_accumulator(self._avg_squared_update_acc_str, param),
        }
        return Update(adadelta, inputs, {"epsilon": self._epsilon, "rho": self._rho})


Adadelta = AdadeltaOptimizer
