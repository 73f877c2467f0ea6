"""adam: steps of the mean gradient over its root mean square, both with bias corrected."""

from __future__ import annotations

import math
from functools import lru_cache

import torch

from refluid.native.rows import add_rows
from refluid.ops.optim.common import (
    corrected,
    count_writes,
    dense,
    groups,
    laid_out_alike,
    numbers,
    pick,
    rows_of,
    scalar,
)
from refluid.ops.registry import FLOATS, Long, Tensor, op
from refluid.tensor.selected_rows import SelectedRows

# torch corrects the bias by 1 - beta^step. Fluid keeps the powers of the betas in variables that a program may save,
# load and set, so the correction is done here; after so many steps torch's own is exactly 1.
FAR = torch.tensor(1e30)


@op(
    "ParamOut Moment1Out Moment2Out Beta1PowOut Beta2PowOut",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={
        "ParamOut": "Param",
        "Moment1Out": "Moment1",
        "Moment2Out": "Moment2",
        "Beta1PowOut": "Beta1Pow",
        "Beta2PowOut": "Beta2Pow",
    },
    nograd="*",
    row_states="Moment1 Moment2",
)
def adam(
    Param: Tensor,
    Grad: Tensor | SelectedRows,
    LearningRate: Tensor,
    Moment1: Tensor,
    Moment2: Tensor,
    Beta1Pow: Tensor,
    Beta2Pow: Tensor,
    Beta1Tensor: Tensor | None = None,
    Beta2Tensor: Tensor | None = None,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    lazy_mode: bool = False,
    min_row_size_to_use_multithread: Long = 1000,  # torch uses threads of its own
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Moment1 = beta1 * Moment1 + (1 - beta1) * Grad; Moment2 = beta2 * Moment2 + (1 - beta2) * Grad^2;

    Param -= rate * sqrt(1 - Beta2Pow) / (1 - Beta1Pow) * Moment1 / (sqrt(Moment2) + epsilon). A sparse gradient is one
    with zeros in the other rows, unless `lazy_mode` leaves those alone. Fluid: with a sparse gradient the powers are
    updated before they are read, whenever they are updated in place.
    """
    beta1 = beta1 if Beta1Tensor is None else scalar(Beta1Tensor, "Beta1Tensor")
    beta2 = beta2 if Beta2Tensor is None else scalar(Beta2Tensor, "Beta2Tensor")
    if isinstance(Grad, SelectedRows):
        rate = _corrected(scalar(LearningRate), Beta1Pow.mul_(beta1).item(), Beta2Pow.mul_(beta2).item())
        index, value = rows_of(Grad, Param)
        sparse_step = _lazy_step if lazy_mode else _sparse_step
        sparse_step(Param, index, value, Moment1, Moment2, rate, beta1, beta2, epsilon)
    else:
        lists = [[Param], [Grad], [LearningRate], [Moment1], [Moment2], [Beta1Pow], [Beta2Pow]]
        adam_fused(*lists, beta1=beta1, beta2=beta2, epsilon=epsilon)
    return Param, Moment1, Moment2, Beta1Pow, Beta2Pow


@adam.fused
def adam_fused(
    Param: list[Tensor],
    Grad: list[Tensor],
    LearningRate: list[Tensor],
    Moment1: list[Tensor],
    Moment2: list[Tensor],
    Beta1Pow: list[Tensor],
    Beta2Pow: list[Tensor],
    Beta1Tensor: list[Tensor] | None = None,
    Beta2Tensor: list[Tensor] | None = None,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    lazy_mode: bool = False,
    min_row_size_to_use_multithread: int = 1000,
) -> None:
    grads, device = laid_out_alike(Param, Grad, Moment1, Moment2), Param[0].device
    n = len(Param)
    settings = list(
        zip(
            numbers(LearningRate),
            numbers(Beta1Pow),
            numbers(Beta2Pow),
            [beta1] * n if Beta1Tensor is None else numbers(Beta1Tensor),
            [beta2] * n if Beta2Tensor is None else numbers(Beta2Tensor),
            strict=True,
        )
    )
    for (rate, power1, power2, b1, b2), positions in groups(settings):
        lr, params, means, squares = (
            _corrected(rate, power1, power2),
            *(pick(v, positions) for v in (Param, Moment1, Moment2)),
        )
        if grads is None:
            for param, grad, mean, square in zip(params, pick(Grad, positions), means, squares, strict=True):
                mean.mul_(b1).add_(dense(grad, param), alpha=1 - b1)
                square.mul_(b2).addcmul_(grad, grad, value=1 - b2)
                param.addcdiv_(mean, square.sqrt().add_(epsilon), value=-lr)
        else:
            torch._fused_adam_(
                params,
                pick(grads, positions),
                means,
                squares,
                [],
                [FAR if device == FAR.device else FAR.to(device)] * len(params),
                lr=lr,
                beta1=b1,
                beta2=b2,
                weight_decay=0.0,
                eps=epsilon,
                amsgrad=False,
                maximize=False,
            )
            count_writes(params)
        for pows, beta in ((pick(Beta1Pow, positions), b1), (pick(Beta2Pow, positions), b2)):
            torch._foreach_mul_(pows, _factor(beta, pows[0].dtype, pows[0].device))


@lru_cache(maxsize=64)
def _factor(beta: float, dtype: torch.dtype, device: torch.device) -> Tensor:
    """A beta as a tensor: multiplying by it takes a third of what multiplying by a Python number does."""
    return torch.full((), beta, dtype=dtype, device=device)


def _corrected(rate: float, power1: float, power2: float) -> float:
    """The rate with the bias of the moments corrected."""
    return corrected(rate * math.sqrt(1 - power2), power1) if power2 <= 1 else math.nan


def _sparse_step(
    param: Tensor,
    index: Tensor,
    value: Tensor,
    moment1: Tensor,
    moment2: Tensor,
    rate: float,
    beta1: float,
    beta2: float,
    epsilon: float,
) -> None:
    add_rows(moment1.mul_(beta1), index, value, 1 - beta1)
    add_rows(moment2.mul_(beta2), index, value.square(), 1 - beta2)
    param.addcdiv_(moment1, moment2.sqrt().add_(epsilon), value=-rate)


def _lazy_step(
    param: Tensor,
    index: Tensor,
    value: Tensor,
    moment1: Tensor,
    moment2: Tensor,
    rate: float,
    beta1: float,
    beta2: float,
    epsilon: float,
) -> None:
    mean = moment1.index_select(0, index).mul_(beta1).add_(value, alpha=1 - beta1)
    square = moment2.index_select(0, index).mul_(beta2).addcmul_(value, value, value=1 - beta2)
    moment1.index_copy_(0, index, mean)
    moment2.index_copy_(0, index, square)
    add_rows(param, index, mean.div_(square.sqrt_().add_(epsilon)), -rate)
