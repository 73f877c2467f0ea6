"""momentum: sgd along a decaying sum of past gradients."""

from __future__ import annotations

import torch

from refluid.native.rows import add_rows
from refluid.ops.optim.common import (
    count_writes,
    dense,
    groups,
    laid_out_alike,
    numbers,
    pick,
    rows_of,
    scalar,
)
from refluid.ops.registry import FLOATS, Tensor, op
from refluid.tensor.selected_rows import SelectedRows


@op(
    "ParamOut VelocityOut",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={"ParamOut": "Param", "VelocityOut": "Velocity"},
    nograd="*",
    row_states="Velocity",
)
def momentum(
    Param: Tensor,
    Grad: Tensor | SelectedRows,
    Velocity: Tensor,
    LearningRate: Tensor,
    *,
    mu: float,
    use_nesterov: bool = False,
) -> tuple[Tensor, Tensor]:
    """Velocity = mu * Velocity + Grad; Param -= rate * Velocity, or with Nesterov rate * (Grad + mu * Velocity).

    A sparse gradient is one with zeros in the other rows: their velocity decays, and they are updated by it.
    """
    rate = scalar(LearningRate)
    Velocity.mul_(mu)
    if isinstance(Grad, SelectedRows):
        index, value = rows_of(Grad, Param)
        Velocity.index_add_(0, index, value)
        if use_nesterov:
            add_rows(Param, index, value, -rate)
    else:
        grad = dense(Grad, Param)
        Velocity.add_(grad)
        if use_nesterov:
            Param.add_(grad, alpha=-rate)
    return Param.add_(Velocity, alpha=-rate * mu if use_nesterov else -rate), Velocity


@momentum.fused
def momentum_fused(
    Param: list[Tensor],
    Grad: list[Tensor],
    Velocity: list[Tensor],
    LearningRate: list[Tensor],
    *,
    mu: float,
    use_nesterov: bool = False,
) -> None:
    grads = laid_out_alike(Param, Grad, Velocity)
    if grads is None:
        for values in zip(Param, Grad, Velocity, LearningRate, strict=True):
            momentum.kernel(*values, mu=mu, use_nesterov=use_nesterov)
        return
    for rate, positions in groups(numbers(LearningRate)):
        params = pick(Param, positions)
        torch._fused_sgd_(
            params,
            pick(grads, positions),
            pick(Velocity, positions),
            weight_decay=0.0,
            momentum=mu,
            lr=rate,
            dampening=0.0,
            nesterov=use_nesterov,
            maximize=False,
            is_first_step=False,  # the first step has zeros for velocity, and they are read
        )
        count_writes(params)
