"""RMSProp (Hinton)."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ops.optim.rmsprop import rmsprop
from refluid.optim.clip import GradientClipBase
from refluid.optim.generations import without_parameter_lists
from refluid.optim.optimizer import Optimizer, Parameters, Rate
from refluid.optim.regularizer import WeightDecayRegularizer
from refluid.optim.update import Update


class RMSPropOptimizer(Optimizer):
    """RMSProp: the gradient divided by the root of its mean square, with momentum.

    mean_square = rho * mean_square + (1 - rho) * grad ** 2
    velocity = momentum * velocity + learning_rate * grad / sqrt(mean_square + epsilon); param -= velocity

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        rho: decay rate of the mean square.
        epsilon: a small number that keeps the division finite.
        momentum: decay rate of the velocity.
        centered: subtract the squared mean of the gradient, which makes the mean square a variance.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.

    Example:
        >>> with fluid.dygraph.guard():
        ...     linear = fluid.dygraph.Linear(2, 1, param_attr=fluid.initializer.Constant(1.0), bias_attr=False)
        ...     optimizer = fluid.optimizer.RMSProp(0.1, rho=0.75, parameter_list=linear.parameters())
        ...     linear(fluid.dygraph.to_variable(np.array([[1.0, 0.0]], "float32"))).backward()
        ...     updates, pairs = optimizer.minimize(linear.weight)
        ...     linear.weight.numpy().round(3).tolist()  # 0.1 / sqrt(0.25) less in the first row
        [[0.8...], [1.0]]
    """

    type = "rmsprop"
    _momentum_acc_str, _mean_square_acc_str, _mean_grad_acc_str = "momentum", "mean_square", "mean_grad"

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate,
        rho: float = 0.95,
        epsilon: float = 1e-6,
        momentum: float = 0.0,
        centered: bool = False,
        parameter_list: Parameters = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
    ):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._rho, self._epsilon, self._momentum, self._centered = rho, epsilon, momentum, centered

    def _create_accumulators(self, block: Block, parameters: Sequence[BaseVariable]) -> None:
        for param in parameters:
            for name in (self._momentum_acc_str, self._mean_square_acc_str, self._mean_grad_acc_str):
                self._add_accumulator(name, param)

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        inputs = {
            "Param": param,
            "Grad": grad,
            "Moment": self._get_accumulator(self._momentum_acc_str, param),
            "MeanSquare": self._get_accumulator(self._mean_square_acc_str, param),
            "MeanGrad": self._get_accumulator(self._mean_grad_acc_str, param),
            "LearningRate": lr,
        }
        attrs = {"epsilon": self._epsilon, "decay": self._rho, "momentum": self._momentum, "centered": self._centered}
        return Update(rmsprop, inputs, attrs)


RMSProp = RMSPropOptimizer
