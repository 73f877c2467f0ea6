"""Ftrl: follow the regularized leader (McMahan et al., 2013)."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ops.optim.ftrl import ftrl
from refluid.optim.clip import GradientClipBase
from refluid.optim.generations import without_parameter_lists
from refluid.optim.optimizer import Optimizer, Parameters, Rate
from refluid.optim.regularizer import WeightDecayRegularizer
from refluid.optim.update import Update


class FtrlOptimizer(Optimizer):
    """Follow the regularized leader: for sparse linear models, where many parameters become exactly zero.

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        l1: strength of both penalties, L1 and L2.
        l2: not used, as in Fluid.
        lr_power: the learning rate falls with the sum of squared gradients to this power.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.
    """

    type = "ftrl"
    _squared_acc_str, _linear_acc_str = "squared", "linear"

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate,
        l1: float = 0.0,
        l2: float = 0.0,
        lr_power: float = -0.5,
        parameter_list: Parameters = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
    ):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._l1, self._lr_power = l1, lr_power

    def _create_accumulators(self, block: Block, parameters: Sequence[BaseVariable]) -> None:
        for param in parameters:
            self._add_accumulator(self._squared_acc_str, param)
            self._add_accumulator(self._linear_acc_str, param)

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
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
