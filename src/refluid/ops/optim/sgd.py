"""sgd: a step down the gradient."""

from __future__ import annotations

import torch

from refluid.ops.optim.common import groups, laid_out_as, numbers, pick, rows_of, scalar
from refluid.ops.registry import FLOATS, Tensor, op
from refluid.tensor.selected_rows import SelectedRows


@op("ParamOut", lod=None, dtypes={"Param": FLOATS}, inplace={"ParamOut": "Param"}, nograd="*")
def sgd(Param: Tensor, LearningRate: Tensor, Grad: Tensor | SelectedRows) -> Tensor:
    """Param -= LearningRate * Grad; a sparse gradient touches its rows alone."""
    rate = scalar(LearningRate)
    if isinstance(Grad, SelectedRows):
        index, value = rows_of(Grad, Param)
        return Param.index_add_(0, index, value, alpha=-rate)
    return Param.add_(Grad, alpha=-rate)


@sgd.fused
def sgd_fused(Param: list[Tensor], LearningRate: list[Tensor], Grad: list[Tensor]) -> None:
    grads = laid_out_as(Param, Grad)
    for rate, at in groups(numbers(LearningRate)):
        torch._fused_sgd_(
            pick(Param, at),
            pick(grads, at),
            [],
            weight_decay=0.0,
            momentum=0.0,
            lr=rate,
            dampening=0.0,
            nesterov=False,
            maximize=False,
            is_first_step=False,
        )
