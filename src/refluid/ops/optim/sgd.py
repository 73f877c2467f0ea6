"""sgd: a step down the gradient."""

from __future__ import annotations

import torch

from refluid.ops.optim.common import add_rows, dense, fitting, groups, numbers, pick, scalar
from refluid.ops.registry import FLOATS, Tensor, op
from refluid.tensor.selected_rows import SelectedRows


@op("ParamOut", lod=None, dtypes={"Param": FLOATS}, inplace={"ParamOut": "Param"}, nograd="*")
def sgd(Param: Tensor, LearningRate: Tensor, Grad: Tensor | SelectedRows) -> Tensor:
    """Param -= LearningRate * Grad; a sparse gradient touches its rows alone."""
    rate = scalar(LearningRate)
    if isinstance(Grad, SelectedRows):
        # Rows that are listed twice are added one after the other, as in Fluid: no need to merge them first.
        rows = fitting(Grad, Param)
        return add_rows(Param, rows.index, rows.value.to(Param.dtype), -rate)
    return Param.add_(dense(Grad, Param), alpha=-rate)


@sgd.fused
def sgd_fused(Param: list[Tensor], LearningRate: list[Tensor], Grad: list[Tensor]) -> None:
    # torch._fused_sgd_ takes a little less for one thread and more for two, and trusts the strides to be equal.
    for param, grad in zip(Param, Grad, strict=True):
        if grad.shape != param.shape:
            dense(grad, param)  # tells it
    for rate, at in groups(numbers(LearningRate)):
        torch._foreach_add_(pick(Param, at), pick(Grad, at), alpha=-rate)
