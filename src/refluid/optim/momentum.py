"""Momentum, and LARS: momentum with a learning rate per layer."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ops.optim.lars_momentum import lars_momentum
from refluid.ops.optim.momentum import momentum as momentum_op
from refluid.optim.clip import GradientClipBase
from refluid.optim.generations import without_parameter_lists
from refluid.optim.optimizer import Optimizer, Parameters, Rate
from refluid.optim.regularizer import WeightDecayRegularizer
from refluid.optim.update import Update


class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum: velocity = momentum * velocity + grad; param -= learning_rate * velocity.

    With Nesterov's momentum param -= learning_rate * (grad + momentum * velocity).

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        momentum: decay rate of the velocity.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        use_nesterov: whether to use Nesterov's momentum.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.

    Example:
        >>> x = fluid.data("x", [None, 3])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, size=1))
        >>> decay = fluid.regularizer.L2Decay(1e-4)
        >>> operators, _ = fluid.optimizer.Momentum(0.1, momentum=0.9, regularization=decay).minimize(loss)
        >>> operators[0].attr("mu")
        0.9
    """

    type = "momentum"
    _velocity_acc_str = "velocity"

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate,
        momentum: float,
        parameter_list: Parameters = None,
        use_nesterov: bool = False,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
    ):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._momentum, self._use_nesterov = momentum, bool(use_nesterov)

    def _create_accumulators(self, block: Block, parameters: Sequence[BaseVariable]) -> None:
        for param in parameters:
            self._add_accumulator(self._velocity_acc_str, param)

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        velocity = self._get_accumulator(self._velocity_acc_str, param)
        inputs = {"Param": param, "Grad": grad, "Velocity": velocity, "LearningRate": lr}
        return Update(momentum_op, inputs, {"mu": self._momentum, "use_nesterov": self._use_nesterov})


class LarsMomentumOptimizer(Optimizer):
    """Momentum with a learning rate per parameter (You et al., 2017).

    rate = learning_rate * lars_coeff * |param| / (|grad| + lars_weight_decay * |param|)
    velocity = momentum * velocity + rate * (grad + lars_weight_decay * param); param -= velocity

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        momentum: decay rate of the velocity.
        lars_coeff: factor of the learning rates.
        lars_weight_decay: factor of the weight decay.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.
    """

    type = "lars_momentum"
    _velocity_acc_str = "velocity"

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate,
        momentum: float,
        lars_coeff: float = 0.001,
        lars_weight_decay: float = 0.0005,
        parameter_list: Parameters = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
    ):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._momentum, self._lars_coeff, self._lars_weight_decay = (
            momentum,
            float(lars_coeff),
            float(lars_weight_decay),
        )

    def _create_accumulators(self, block: Block, parameters: Sequence[BaseVariable]) -> None:
        for param in parameters:
            self._add_accumulator(self._velocity_acc_str, param)

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        velocity = self._get_accumulator(self._velocity_acc_str, param)
        inputs = {"Param": param, "Grad": grad, "Velocity": velocity, "LearningRate": lr}
        attrs = {"mu": self._momentum, "lars_coeff": self._lars_coeff, "lars_weight_decay": self._lars_weight_decay}
        return Update(lars_momentum, inputs, attrs)


Momentum = MomentumOptimizer
LarsMomentum = LarsMomentumOptimizer
