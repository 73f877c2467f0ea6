"""Adam (Kingma and Ba, 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.layers.checks import number
from refluid.ops.optim.adam import adam
from refluid.optim.clip import GradientClipBase
from refluid.optim.generations import without_parameter_lists
from refluid.optim.optimizer import Optimizer, Parameters, Rate
from refluid.optim.regularizer import WeightDecayRegularizer
from refluid.optim.update import Update


class AdamOptimizer(Optimizer):
    """Adam: steps scaled by bias-corrected moving averages of the gradient and of its square.

    moment1 = beta1 * moment1 + (1 - beta1) * grad; moment2 = beta2 * moment2 + (1 - beta2) * grad ** 2
    rate = learning_rate * sqrt(1 - beta2 ** t) / (1 - beta1 ** t); param -= rate * moment1 / (sqrt(moment2) + epsilon)

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        beta1: decay rate of the first moment, a number or a float32 variable of shape [1].
        beta2: decay rate of the second moment, likewise.
        epsilon: a small number that keeps the division finite.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.
        lazy_mode: with sparse gradients, update only the rows that have a gradient, moments included.

    Example:
        >>> x, y = fluid.data("x", [None, 1]), fluid.data("y", [None, 1])
        >>> loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(x, size=1), y))
        >>> _, params_grads = fluid.optimizer.Adam(learning_rate=0.1).minimize(loss)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> batch = {"x": np.float32([[1], [2]]), "y": np.float32([[3], [5]])}
        >>> losses = [exe.run(feed=batch, fetch_list=[loss])[0].item() for _ in range(100)]
        >>> losses[-1] < 0.1 * losses[0]
        True
    """

    type = "adam"
    _moment1_acc_str, _moment2_acc_str = "moment1", "moment2"
    _beta1_pow_acc_str, _beta2_pow_acc_str = "beta1_pow_acc", "beta2_pow_acc"

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta1: float | BaseVariable = 0.9,
        beta2: float | BaseVariable = 0.999,
        epsilon: float = 1e-8,
        parameter_list: Parameters = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
        lazy_mode: bool = False,
    ):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._beta1, self._beta2 = _in_32_bits(beta1), _in_32_bits(beta2)
        self._epsilon, self._lazy_mode = epsilon, lazy_mode

    def _create_accumulators(self, block: Block, parameters: Sequence[BaseVariable]) -> None:
        for param in parameters:
            self._add_accumulator(self._moment1_acc_str, param)
            self._add_accumulator(self._moment2_acc_str, param)
            for name, beta, usual in (
                (self._beta1_pow_acc_str, self._beta1, 0.9),
                (self._beta2_pow_acc_str, self._beta2, 0.999),
            ):
                first = usual if isinstance(beta, BaseVariable) else beta
                self._add_accumulator(name, param, fill_value=first, shape=[1])

    def _inputs(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> dict[str, Any]:
        return {
            "Param": param,
            "Grad": grad,
            "LearningRate": lr,
            "Moment1": self._get_accumulator(self._moment1_acc_str, param),
            "Moment2": self._get_accumulator(self._moment2_acc_str, param),
            "Beta1Pow": self._get_accumulator(self._beta1_pow_acc_str, param),
            "Beta2Pow": self._get_accumulator(self._beta2_pow_acc_str, param),
        }

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        inputs = self._inputs(param, grad, lr)
        attrs: dict[str, Any] = {"epsilon": self._epsilon, "lazy_mode": self._lazy_mode}
        attrs["min_row_size_to_use_multithread"] = 1000
        for slot, attr, beta in (("Beta1Tensor", "beta1", self._beta1), ("Beta2Tensor", "beta2", self._beta2)):
            if isinstance(beta, BaseVariable):
                inputs[slot] = beta
            else:
                attrs[attr] = beta
        return Update(adam, inputs, attrs)


def _in_32_bits(beta: float | BaseVariable) -> float | BaseVariable:
    """A number as Fluid's attributes hold it: for 0.999, what is left to 1 differs in the fifth digit."""
    return beta if isinstance(beta, BaseVariable) else float(np.float32(number("Adam: a beta", beta)))


Adam = AdamOptimizer
