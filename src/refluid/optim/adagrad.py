"""Adagrad and DecayedAdagrad: learning rates per element that shrink with the gradients seen."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ops.optim.adagrad import adagrad
from refluid.ops.optim.decayed_adagrad import decayed_adagrad
from refluid.optim.clip import GradientClipBase
from refluid.optim.generations import without_parameter_lists
from refluid.optim.optimizer import Optimizer, Parameters, Rate
from refluid.optim.regularizer import WeightDecayRegularizer
from refluid.optim.update import Update


class AdagradOptimizer(Optimizer):
    """Adagrad: moment += grad ** 2; param -= learning_rate * grad / (sqrt(moment) + epsilon).

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        epsilon: a small number that keeps the division finite.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.
        initial_accumulator_value: the value that the moment starts with.

    Example:
        >>> x = fluid.data("x", [None, 3])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, size=1))
        >>> operators, params_grads = fluid.optimizer.Adagrad(learning_rate=0.2).minimize(loss)
        >>> [op.type for op in operators]
        ['adagrad', 'adagrad']
    """

    type = "adagrad"
    _moment_acc_str = "moment"

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate,
        epsilon: float = 1e-6,
        parameter_list: Parameters = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._epsilon, self.initial_accumulator_value = epsilon, initial_accumulator_value

    def _create_accumulators(self, block: Block, parameters: Sequence[BaseVariable]) -> None:
        for param in parameters:
            self._add_accumulator(self._moment_acc_str, param, fill_value=self.initial_accumulator_value)

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        moment = self._get_accumulator(self._moment_acc_str, param)
        inputs = {"Param": param, "Grad": grad, "Moment": moment, "LearningRate": lr}
        return Update(adagrad, inputs, {"epsilon": self._epsilon})


class DecayedAdagradOptimizer(Optimizer):
    """Adagrad with an exponential moving average in place of the sum.

    moment = decay * moment + (1 - decay) * grad ** 2; param -= learning_rate * grad / (sqrt(moment) + epsilon)

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        decay: decay rate of the moment.
        epsilon: a small number that keeps the division finite.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.
    """

    type = "decayed_adagrad"
    _moment_acc_str = "moment"

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate,
        decay: float = 0.95,
        epsilon: float = 1e-6,
        parameter_list: Parameters = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
    ):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._decay, self._epsilon = decay, epsilon

    def _create_accumulators(self, block: Block, parameters: Sequence[BaseVariable]) -> None:
        for param in parameters:
            self._add_accumulator(self._moment_acc_str, param)

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        moment = self._get_accumulator(self._moment_acc_str, param)
        inputs = {"Param": param, "Grad": grad, "Moment": moment, "LearningRate": lr}
        return Update(decayed_adagrad, inputs, {"decay": self._decay, "epsilon": self._epsilon})


Adagrad = AdagradOptimizer
DecayedAdagrad = DecayedAdagradOptimizer
