"""Adam (Kingma and Ba, 2014)."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.ir.arithmetic import Arithmetic
from refluid.layers.numbers import number
from refluid.ops.optim.adam import adam
from refluid.optim.optimizer import Optimizer
from refluid.optim.update import Update


class AdamOptimizer(Optimizer):
    """Steps scaled by running averages of the gradient and its square.

    Args:
        beta1, beta2: how slowly the averages forget; numbers, or variables of one element.
        epsilon: keeps the division finite.
        lazy_mode: with sparse gradients, touch only the rows that have one.
    """

    type = "adam"
    _moment1_acc_str, _moment2_acc_str = "moment1", "moment2"
    _beta1_pow_acc_str, _beta2_pow_acc_str = "beta1_pow_acc", "beta2_pow_acc"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: float = 1e-8,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        lazy_mode: bool = False,
    ):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self._beta1, self._beta2 = _in_32_bits(beta1), _in_32_bits(beta2)
        self._epsilon, self._lazy_mode = epsilon, lazy_mode

    def _create_accumulators(self, block: Any, parameters: list[Any]) -> None:
        for param in parameters:
            self._add_accumulator(self._moment1_acc_str, param)
            self._add_accumulator(self._moment2_acc_str, param)
            for name, beta, usual in (
                (self._beta1_pow_acc_str, self._beta1, 0.9),
                (self._beta2_pow_acc_str, self._beta2, 0.999),
            ):
                self._add_accumulator(name, param, fill_value=usual if _is_variable(beta) else beta, shape=[1])

    def _inputs(self, param: Any, grad: Any, lr: Any) -> dict[str, Any]:
        return {
            "Param": param,
            "Grad": grad,
            "LearningRate": lr,
            "Moment1": self._get_accumulator(self._moment1_acc_str, param),
            "Moment2": self._get_accumulator(self._moment2_acc_str, param),
            "Beta1Pow": self._get_accumulator(self._beta1_pow_acc_str, param),
            "Beta2Pow": self._get_accumulator(self._beta2_pow_acc_str, param),
        }

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        inputs = self._inputs(param, grad, lr)
        attrs = {"epsilon": self._epsilon, "lazy_mode": self._lazy_mode, "min_row_size_to_use_multithread": 1000}
        for slot, attr, beta in (("Beta1Tensor", "beta1", self._beta1), ("Beta2Tensor", "beta2", self._beta2)):
            if _is_variable(beta):
                inputs[slot] = beta
            else:
                attrs[attr] = beta
        return Update(adam, inputs, attrs)


def _is_variable(value: Any) -> bool:
    return isinstance(value, Arithmetic)


def _in_32_bits(beta: Any) -> Any:
    """A number as Fluid's attributes hold it: for 0.999, what is left to 1 differs in the fifth digit."""
    return beta if _is_variable(beta) else float(np.float32(number("Adam: a beta", beta)))


Adam = AdamOptimizer
