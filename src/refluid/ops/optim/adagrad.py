"""adagrad: a learning rate per element that shrinks with the gradients it has seen."""

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
    "ParamOut MomentOut",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={"ParamOut": "Param", "MomentOut": "Moment"},
    nograd="*",
    row_states="Moment",
)
def adagrad(
    Param: Tensor, Grad: Tensor | SelectedRows, Moment: Tensor, LearningRate: Tensor, *, epsilon: float = 1e-6
) -> tuple[Tensor, Tensor]:
    """Moment += Grad^2; Param -= rate * Grad / (sqrt(Moment) + epsilon); a sparse gradient touches its rows alone."""
    rate = scalar(LearningRate)
    if isinstance(Grad, SelectedRows):
        index, value = rows_of(Grad, Param)
        Moment.index_add_(0, index, value.square())
        root = Moment.index_select(0, index).sqrt_().add_(epsilon)
        return add_rows(Param, index, value.div_(root), -rate), Moment
    grad = dense(Grad, Param)
    Moment.addcmul_(grad, grad)
    return Param.addcdiv_(grad, Moment.sqrt().add_(epsilon), value=-rate), Moment


@adagrad.fused
def adagrad_fused(
    Param: list[Tensor],
    Grad: list[Tensor],
    Moment: list[Tensor],
    LearningRate: list[Tensor],
    *,
    epsilon: float = 1e-6,
) -> None:
    grads = laid_out_alike(Param, Grad, Moment)
    if grads is None:
        for values in zip(Param, Grad, Moment, LearningRate, strict=True):
            adagrad.kernel(*values, epsilon=epsilon)
        return
    step = torch.ones((), device=Param[0].device)  # read for the decay of the rate alone, of which there is none
    for rate, positions in groups(numbers(LearningRate)):
        params = pick(Param, positions)
        torch._fused_adagrad_(
            params,
            pick(grads, positions),
            pick(Moment, positions),
            [step] * len(params),
            lr=rate,
            lr_decay=0.0,
            weight_decay=0.0,
            eps=epsilon,
            maximize=False,
        )
        count_writes(params)
