"""sgd: a step down the gradient."""

from __future__ import annotations

import torch

from refluid.native.rows import add_rows_to_all
from refluid.ops.optim.common import dense, fitting, groups, numbers, pick, scalar
from refluid.ops.registry import FLOATS, Tensor, op
from refluid.tensor.selected_rows import SelectedRows


@op("ParamOut", lod=None, dtypes={"Param": FLOATS}, inplace={"ParamOut": "Param"}, nograd="*", row_states="")
def sgd(Param: Tensor, LearningRate: Tensor, Grad: Tensor | SelectedRows) -> Tensor:
    """Param -= LearningRate * Grad; a sparse gradient touches its rows alone."""
    if isinstance(Grad, SelectedRows):
        sgd_sparse([Param], [LearningRate], [Grad])
        return Param
    return Param.add_(dense(Grad, Param), alpha=-scalar(LearningRate))


@sgd.fused
def sgd_fused(Param: list[Tensor], LearningRate: list[Tensor], Grad: list[Tensor]) -> None:
    # torch._fused_sgd_ takes a little less for one thread and more for two, and trusts the strides to be equal.
    for param, grad in zip(Param, Grad, strict=True):
        if grad.shape != param.shape:
            dense(grad, param)  # tells it
    for rate, at in groups(numbers(LearningRate)):
        torch._foreach_add_(pick(Param, at), pick(Grad, at), alpha=-rate)


@sgd.fused_sparse
def sgd_sparse(Param: list[Tensor], LearningRate: list[Tensor], Grad: list[SelectedRows]) -> None:
    # Rows that are listed twice are added one after the other, as in Fluid: no need to merge them first.
    rows = [fitting(grad, param) for param, grad in zip(Param, Grad, strict=True)]
    values = [one.value if one.value.dtype is p.dtype else one.value.to(p.dtype) for one, p in zip(rows, Param)]
    add_rows_to_all(Param, [one.index for one in rows], values, [-rate for rate in numbers(LearningRate)])
