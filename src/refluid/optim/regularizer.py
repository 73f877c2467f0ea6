"""Regularizers: a penalty on the size of parameters, added to their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from refluid.core.dtypes import VarType
from refluid.core.errors import DtypeError, NotDefinedError
from refluid.core.mode import per_mode
from refluid.core.naming import NO_LAYER
from refluid.eager.variable import VarBase
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ir.variable import Variable
from refluid.ops.math.scale import scale
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.math.unary import sign
from refluid.optim.clip import Pairs
from refluid.tensor.selected_rows import SelectedRows, to_dense


class WeightDecayRegularizer:
    """Base: `append_decay(param)` writes the gradient of the penalty into the program.

    `penalised(params, grads)` is for the imperative mode: raw gradients with those of the penalty added. A class that a
    program derives defines `__call__(param, grad, block)` alone, which gives the gradient of the penalty.
    """

    def __call__(self, param: BaseVariable, grad: BaseVariable, block: Block) -> BaseVariable:
        return self.append_decay(param)

    @property
    def _is_derived(self) -> bool:
        return type(self).__call__ is not WeightDecayRegularizer.__call__

    def append_decay(self, param: BaseVariable) -> BaseVariable:
        raise NotDefinedError(f"{type(self).__name__} must define append_decay")

    def penalised(self, params: list[torch.Tensor], grads: list[torch.Tensor]) -> Sequence[torch.Tensor]:
        raise NotDefinedError(f"{type(self).__name__} must define penalised")


class L2DecayRegularizer(WeightDecayRegularizer):
    """L2 weight decay: adds coeff * param to the gradient, from the penalty coeff / 2 * sum(param ** 2).

    Args:
        regularization_coeff: the factor coeff.

    Example:
        >>> x = fluid.data("x", [None, 3])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, size=1, bias_attr=False))
        >>> _ = fluid.optimizer.SGD(0.1, regularization=fluid.regularizer.L2Decay(1e-4)).minimize(loss)
        >>> [op.type for op in fluid.default_main_program().global_block().ops][-3:]
        ['scale', 'sum', 'sgd']
    """

    def __init__(self, regularization_coeff: float = 0.0):
        self._regularization_coeff = _number("L2Decay", regularization_coeff)

    def append_decay(self, param: BaseVariable) -> BaseVariable:
        return scale(param, scale=self._regularization_coeff, name=NO_LAYER)

    def penalised(self, params: list[torch.Tensor], grads: list[torch.Tensor]) -> Sequence[torch.Tensor]:
        return torch._foreach_add(grads, params, alpha=self._regularization_coeff)

    def __str__(self) -> str:
        return f"L2Decay, regularization_coeff={self._regularization_coeff:f}"


class L1DecayRegularizer(WeightDecayRegularizer):
    """L1 weight decay: adds coeff * sign(param) to the gradient, from the penalty coeff * sum(|param|).

    Args:
        regularization_coeff: the factor coeff.
    """

    def __init__(self, regularization_coeff: float = 0.0):
        self._regularization_coeff = _number("L1Decay", regularization_coeff)

    def append_decay(self, param: BaseVariable) -> BaseVariable:
        penalty = sign(param, name=NO_LAYER)
        return scale(penalty, scale=self._regularization_coeff, outs={"Out": penalty})

    def penalised(self, params: list[torch.Tensor], grads: list[torch.Tensor]) -> Sequence[torch.Tensor]:
        return torch._foreach_add(grads, torch._foreach_sign(params), alpha=self._regularization_coeff)

    def __str__(self) -> str:
        return f"L1Decay, regularization_coeff={self._regularization_coeff:f}"


def regularize(params_grads: Pairs, regularization: WeightDecayRegularizer | None = None) -> Pairs:
    """Add to each gradient the penalty of its parameter's own regularizer, else of the given one.

    Args:
        params_grads: pairs (parameter, gradient).
        regularization: the regularizer of parameters that have none of their own; None for no penalty.

    Returns:
        The pairs with the penalised gradients.
    """
    owners = [None if grad is None else param.regularizer or regularization for param, grad in params_grads]
    for owner in owners:
        check_regularizer(owner)
    return _penalised.of(params_grads[0][0])(params_grads, owners) if params_grads else []


@per_mode
def _penalised(pairs: Pairs, owners: list[Any]) -> Pairs:
    return [
        (param, grad if owner is None else _append(param, grad, owner))
        for (param, grad), owner in zip(pairs, owners, strict=True)
    ]


@_penalised.imperative
def _penalised_now(pairs: Pairs, owners: list[Any]) -> Pairs:
    """Those of one regularizer together; a sparse gradient becomes dense."""
    result = list(pairs)
    groups: dict[int, list[int]] = {}
    for i, owner in enumerate(owners):
        if owner is not None and owner._is_derived:
            param, grad = pairs[i]
            penalty = owner(param, grad, param.block)
            result[i] = (param, grad if penalty is None else sum_op([grad, penalty]))
        elif owner is not None:
            groups.setdefault(id(owner), []).append(i)
    for indices in groups.values():
        grads = [pairs[i][1]._t for i in indices]
        dense = [to_dense(grad) if isinstance(grad, SelectedRows) else grad for grad in grads]
        params = [pairs[i][0]._t for i in indices]
        for i, t in zip(indices, owners[indices[0]].penalised(params, dense), strict=True):
            result[i] = (pairs[i][0], VarBase(t))
    return result


def _append(param: Variable, grad: Variable, regularizer: WeightDecayRegularizer) -> Variable:
    with param.block.program._optimized_guard([param, grad]):
        penalty = regularizer(param, grad, grad.block)
        if penalty is None:
            return grad
        out = grad
        if grad.type == VarType.SELECTED_ROWS:  # a sparse gradient becomes a dense one of another name
            out = grad.block.create_var(
                name=grad.name + "@NEWGRAD@", shape=param.shape, dtype=param.dtype, lod_level=param.lod_level
            )
        return sum_op([grad, penalty], outs={"Out": out})


def check_regularizer(regularizer: object, owner: str = "apply_gradients") -> None:
    if isinstance(regularizer, type):
        raise DtypeError(f"{owner}: regularization must be an object, got the class {regularizer.__name__}; call it")
    if regularizer is not None and not hasattr(regularizer, "append_decay"):
        raise DtypeError(f"{owner}: regularization must be an L1Decay or L2Decay, got {type(regularizer).__name__}")


def _number(what: str, coefficient: Any) -> float:
    try:
        return float(coefficient)
    except (TypeError, ValueError):
        raise DtypeError(f"{what}: regularization_coeff must be a number, got {type(coefficient).__name__}") from None


L1Decay = L1DecayRegularizer
L2Decay = L2DecayRegularizer
