"""Adamax: Adam with the largest gradient in place of the root mean square (Kingma and Ba, 2014)."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.core.mode import per_mode
from refluid.eager.variable import VarBase
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ir.variable import Parameter, Variable
from refluid.ops.math.scale import scale
from refluid.ops.optim.adamax import adamax
from refluid.optim.clip import GradientClipBase, Pairs
from refluid.optim.generations import without_parameter_lists
from refluid.optim.optimizer import Optimizer, Parameters, Rate
from refluid.optim.regularizer import WeightDecayRegularizer
from refluid.optim.update import Update


class AdamaxOptimizer(Optimizer):
    """Adamax: Adam with an exponentially weighted infinity norm in place of the second moment.

    moment = beta1 * moment + (1 - beta1) * grad; inf_norm = max(beta2 * inf_norm + epsilon, |grad|)
    param -= learning_rate / (1 - beta1 ** t) * moment / inf_norm

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        beta1: decay rate of the first moment.
        beta2: decay rate of the infinity norm.
        epsilon: a small number that keeps the division finite.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.
    """

    type = "adamax"
    _moment_acc_str, _inf_norm_acc_str, _beta1_pow_acc_str = "moment", "inf_norm", "beta1_pow_acc"

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        parameter_list: Parameters = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
    ):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon

    def _create_accumulators(self, block: Block, parameters: Sequence[BaseVariable]) -> None:
        for param in parameters:
            self._add_accumulator(self._moment_acc_str, param)
            self._add_accumulator(self._inf_norm_acc_str, param)
            self._add_accumulator(self._beta1_pow_acc_str, param, fill_value=self._beta1, shape=[1])

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        inputs = {
            "Param": param,
            "Grad": grad,
            "LearningRate": lr,
            "Moment": self._get_accumulator(self._moment_acc_str, param),
            "InfNorm": self._get_accumulator(self._inf_norm_acc_str, param),
            "Beta1Pow": self._get_accumulator(self._beta1_pow_acc_str, param),
        }
        return Update(adamax, inputs, {"beta1": self._beta1, "beta2": self._beta2, "epsilon": self._epsilon})

    def _finish_update(self, block: Block, parameters_and_grads: Pairs) -> None:
        """The operator does not move the power of beta1 on; this does."""
        for param, grad in parameters_and_grads:
            AdamaxOptimizer._multiply_power.of(param)(self, block, param, grad)

    @per_mode
    def _multiply_power(self, block: Block, param: Parameter, grad: Variable | None) -> None:
        if grad is not None and param.trainable:
            program, power = block.program, self._get_accumulator(self._beta1_pow_acc_str, param)
            with program._optimized_guard([param, grad]), program.name_scope("adamx"):
                block.append_op(scale.type, {"X": power}, {"Out": power}, {"scale": self._beta1})

    @_multiply_power.imperative
    def _multiply_power_now(self, block: Block, param: VarBase, grad: VarBase) -> None:
        self._get_accumulator(self._beta1_pow_acc_str, param)._t.mul_(self._beta1)


Adamax = AdamaxOptimizer
