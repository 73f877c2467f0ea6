"""Regularizers: a penalty on the size of parameters, added to their gradients."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.dtypes import VarType
from refluid.core.errors import DtypeError
from refluid.eager.variable import VarBase
from refluid.ir.variable import Variable
from refluid.ops.math.scale import scale
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.math.unary import sign
from refluid.optim.build import GENERATED
from refluid.tensor.selected_rows import SelectedRows, to_dense


class WeightDecayRegularizer:
    """Base: `append_decay(param)` writes the gradient of the penalty, `decay(t)` computes it from a raw parameter."""

    def append_decay(self, param: Variable) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define append_decay")

    def decay(self, t: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError(f"{type(self).__name__} must define decay")


class L2DecayRegularizer(WeightDecayRegularizer):
    """Penalty coeff / 2 * sum(param ** 2)."""

    def __init__(self, regularization_coeff: float = 0.0):
        self._regularization_coeff = _number("L2Decay", regularization_coeff)

    def append_decay(self, param: Variable) -> Any:
        return scale(param, scale=self._regularization_coeff, name=GENERATED)

    def decay(self, t: torch.Tensor) -> torch.Tensor:
        return t * self._regularization_coeff

    def __str__(self) -> str:
        return f"L2Decay, regularization_coeff={self._regularization_coeff:f}"


class L1DecayRegularizer(WeightDecayRegularizer):
    """Penalty coeff * sum(|param|)."""

    def __init__(self, regularization_coeff: float = 0.0):
        self._regularization_coeff = _number("L1Decay", regularization_coeff)

    def append_decay(self, param: Variable) -> Any:
        penalty = sign(param, name=GENERATED)
        return scale(penalty, scale=self._regularization_coeff, outs={"Out": penalty})

    def decay(self, t: torch.Tensor) -> torch.Tensor:
        return torch.sign(t).mul_(self._regularization_coeff)

    def __str__(self) -> str:
        return f"L1Decay, regularization_coeff={self._regularization_coeff:f}"


def regularize(params_grads: list[tuple[Any, Any]], regularization: Any = None) -> list[tuple[Any, Any]]:
    """Add to each gradient the penalty of its parameter's own regularizer, else of the given one."""
    result = []
    for param, grad in params_grads:
        own = param.regularizer or regularization
        if grad is not None and own is not None:
            check_regularizer(own)
            grad = (
                VarBase(_penalised(grad._t, own.decay(param._t)))
                if isinstance(grad, VarBase)
                else _append(param, grad, own)
            )
        result.append((param, grad))
    return result


def _penalised(grad: Any, penalty: torch.Tensor) -> torch.Tensor:
    return penalty.add_(to_dense(grad) if isinstance(grad, SelectedRows) else grad)


def _append(param: Any, grad: Variable, regularizer: WeightDecayRegularizer) -> Any:
    with param.block.program._optimized_guard([param, grad]):
        penalty = regularizer.append_decay(param)
        out = grad
        if grad.type == VarType.SELECTED_ROWS:  # a sparse gradient becomes a dense one of another name
            out = grad.block.create_var(
                name=grad.name + "@NEWGRAD@", shape=param.shape, dtype=param.dtype, lod_level=param.lod_level
            )
        return sum_op([grad, penalty], outs={"Out": out})


def check_regularizer(regularizer: Any) -> None:
    if not hasattr(regularizer, "append_decay"):
        raise DtypeError(f"regularization must be an L1Decay or L2Decay, got {type(regularizer).__name__}")


def _number(what: str, coefficient: Any) -> float:
    try:
        return float(coefficient)
    except (TypeError, ValueError):
        raise DtypeError(f"{what}: regularization_coeff must be a number, got {type(coefficient).__name__}") from None


L1Decay = L1DecayRegularizer
L2Decay = L2DecayRegularizer
