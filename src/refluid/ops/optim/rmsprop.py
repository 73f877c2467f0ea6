"""rmsprop: the gradient over its recent root mean square, with momentum."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.native.rows import add_rows
from refluid.ops.optim.common import dense, rows_of, scalar
from refluid.ops.registry import FLOATS, Tensor, op
from refluid.tensor.selected_rows import SelectedRows


@op(
    "ParamOut MomentOut MeanSquareOut MeanGradOut",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={
        "ParamOut": "Param",
        "MomentOut": "Moment",
        "MeanSquareOut": "MeanSquare",
        "MeanGradOut": "MeanGrad",
    },
    nograd="*",
    row_states="MeanSquare MeanGrad Moment",
)
def rmsprop(
    Param: Tensor,
    MeanSquare: Tensor,
    MeanGrad: Tensor | None,
    LearningRate: Tensor,
    Grad: Tensor | SelectedRows,
    Moment: Tensor,
    *,
    epsilon: float = 1e-10,
    decay: float = 0.9,
    momentum: float = 0.0,
    centered: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """MeanSquare and MeanGrad are running means of Grad^2 and (if centered) Grad;

    Moment = momentum * Moment + rate * Grad / sqrt(MeanSquare - MeanGrad^2 + epsilon); Param -= Moment.
    A sparse gradient is one with zeros in the other rows.
    """
    rate = scalar(LearningRate)
    MeanSquare.mul_(decay)
    if isinstance(Grad, SelectedRows):
        index, value = rows_of(Grad, Param)
        add_rows(MeanSquare, index, value.square(), 1 - decay)
        grad = torch.zeros_like(Param).index_copy_(0, index, value)
    else:
        grad = dense(Grad, Param)
        MeanSquare.addcmul_(grad, grad, value=1 - decay)
    variance = MeanSquare
    if centered:
        if MeanGrad is None:
            raise ArgumentError("input MeanGrad is missing, which centered=True updates")
        MeanGrad.mul_(decay).add_(grad, alpha=1 - decay)
        variance = torch.addcmul(MeanSquare, MeanGrad, MeanGrad, value=-1)
    Moment.mul_(momentum).addcdiv_(grad, (variance + epsilon).sqrt_(), value=rate)
    return Param.sub_(Moment), Moment, MeanSquare, MeanGrad
