"""Regularizers: a penalty on the size of parameters, added to their gradients."""

from __future__ import annotations

from typing import Any

from refluid.core import unique_name
from refluid.ir.variable import Variable
from refluid.ops.math.scale import scale
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.math.unary import sign


class _Generated:
    """Names what Fluid leaves to the block to name."""

    def tmp(self) -> str:
        return unique_name.generate("_generated_var")


_GENERATED = _Generated()


class WeightDecayRegularizer:
    """Base: `append_decay(param)` is the gradient of the penalty."""

    def append_decay(self, param: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define append_decay")


class L2DecayRegularizer(WeightDecayRegularizer):
    """Penalty coeff / 2 * sum(param ** 2)."""

    def __init__(self, regularization_coeff: float = 0.0):
        self._regularization_coeff = regularization_coeff

    def append_decay(self, param: Any) -> Any:
        return scale(param, scale=float(self._regularization_coeff), name=_GENERATED)

    def __str__(self) -> str:
        return f"L2Decay, regularization_coeff={self._regularization_coeff:f}"


class L1DecayRegularizer(WeightDecayRegularizer):
    """Penalty coeff * sum(|param|)."""

    def __init__(self, regularization_coeff: float = 0.0):
        self._regularization_coeff = regularization_coeff

    def append_decay(self, param: Any) -> Any:
        return scale(sign(param, name=_GENERATED), scale=float(self._regularization_coeff), name=_GENERATED)

    def __str__(self) -> str:
        return f"L1Decay, regularization_coeff={self._regularization_coeff:f}"


def regularize(params_grads: list[tuple[Any, Any]], regularization: Any = None) -> list[tuple[Any, Any]]:
    """Add to each gradient the penalty of its parameter's own regularizer, else of the given one."""
    result = []
    for param, grad in params_grads:
        own = getattr(param, "regularizer", None) or regularization
        if grad is None or own is None:
            result.append((param, grad))
        elif isinstance(grad, Variable):
            with grad.block.program._optimized_guard([param, grad]):
                penalty = own.append_decay(param)
                result.append((param, sum_op([grad, penalty], outs={"Out": grad})))
        else:
            result.append((param, sum_op([grad, own.append_decay(param)])))
    return result


L1Decay = L1DecayRegularizer
L2Decay = L2DecayRegularizer
