"""SGD: plain gradient descent."""

from __future__ import annotations

from refluid.ir.base_variable import BaseVariable
from refluid.ops.optim.sgd import sgd
from refluid.optim.clip import GradientClipBase
from refluid.optim.generations import without_parameter_lists
from refluid.optim.optimizer import Optimizer, Parameters, Rate
from refluid.optim.regularizer import WeightDecayRegularizer
from refluid.optim.update import Update


class SGDOptimizer(Optimizer):
    """Gradient descent: param -= learning_rate * grad.

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.

    Example:
        >>> x = fluid.data("x", [None, 2])
        >>> y = fluid.layers.fc(x, size=1, param_attr=fluid.initializer.Constant(1.0), bias_attr=False)
        >>> _, [(weight, gradient)] = fluid.optimizer.SGD(learning_rate=0.5).minimize(fluid.layers.mean(y))
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> exe.run(feed={"x": np.float32([[1, 2]])}, fetch_list=[weight])[0].tolist()
        [[0.5], [0.0]]
    """

    type = "sgd"

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate,
        parameter_list: Parameters = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
    ):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        return Update(sgd, {"Param": param, "Grad": grad, "LearningRate": lr}, {})


SGD = SGDOptimizer
