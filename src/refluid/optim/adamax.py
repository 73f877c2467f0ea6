"""Adamax: Adam with the largest gradient in place of the root mean square (Kingma and Ba, 2014)."""

from __future__ import annotations

from typing import Any

from refluid.eager.variable import VarBase
from refluid.ops.math.scale import scale
from refluid.ops.optim.adamax import adamax
from refluid.optim.optimizer import Optimizer, Pairs
from refluid.optim.update import Update


class AdamaxOptimizer(Optimizer):
    """Steps scaled by a running average of the gradient and by the largest one seen, which fades.

    Args:
        beta1, beta2: how slowly the average and the largest forget.
    """

    type = "adamax"
    _moment_acc_str, _inf_norm_acc_str, _beta1_pow_acc_str = "moment", "inf_norm", "beta1_pow_acc"

    def __init__(
        self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
        parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None, name: str | None = None,
    ):  # fmt: skip
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon

    def _create_accumulators(self, block: Any, parameters: list[Any]) -> None:
        for param in parameters:
            self._add_accumulator(self._moment_acc_str, param)
            self._add_accumulator(self._inf_norm_acc_str, param)
            self._add_accumulator(self._beta1_pow_acc_str, param, fill_value=self._beta1, shape=[1])

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        inputs = {
            "Param": param,
            "Grad": grad,
            "LearningRate": lr,
            "Moment": self._get_accumulator(self._moment_acc_str, param),
            "InfNorm": self._get_accumulator(self._inf_norm_acc_str, param),
            "Beta1Pow": self._get_accumulator(self._beta1_pow_acc_str, param),
        }
        return Update(adamax, inputs, {"beta1": self._beta1, "beta2": self._beta2, "epsilon": self._epsilon})

    def _finish_update(self, block: Any, parameters_and_grads: Pairs) -> None:
        """The operator does not move the power of beta1 on; this does."""
        for param, grad in parameters_and_grads:
            if isinstance(param, VarBase):
                self._get_accumulator(self._beta1_pow_acc_str, param)._t.mul_(self._beta1)
            elif grad is not None and param.trainable:
                program, power = block.program, self._get_accumulator(self._beta1_pow_acc_str, param)
                with program._optimized_guard([param, grad]), program.name_scope("adamx"):
                    block.append_op(scale.type, {"X": power}, {"Out": power}, {"scale": self._beta1})


Adamax = AdamaxOptimizer
