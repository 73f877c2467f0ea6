"""proximal_gd, proximal_adagrad: a step, then shrinking towards zero."""

from __future__ import annotations

import torch

from refluid.ops.optim.common import dense, scalar
from refluid.ops.registry import FLOATS, Tensor, op


@op("ParamOut", lod=None, dtypes={"Param": FLOATS}, inplace={"ParamOut": "Param"}, nograd="*", row_states="")
def proximal_gd(Param: Tensor, Grad: Tensor, LearningRate: Tensor, *, l1: float = 0.0, l2: float = 0.0) -> Tensor:
    """Param = sign(p) * max(|p| - rate * l1, 0) / (1 + rate * l2) with p = Param - rate * Grad."""
    rate = scalar(LearningRate)
    return _shrink_(Param.sub_(dense(Grad, Param), alpha=rate), rate, l1, l2)


@op(
    "ParamOut MomentOut",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={"ParamOut": "Param", "MomentOut": "Moment"},
    nograd="*",
    row_states="Moment",
)
def proximal_adagrad(
    Param: Tensor, Moment: Tensor, Grad: Tensor, LearningRate: Tensor, *, l1: float = 0.0, l2: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Moment += Grad^2, and then proximal_gd with Grad / sqrt(Moment)."""
    grad, rate = dense(Grad, Param), scalar(LearningRate)
    Moment.addcmul_(grad, grad)
    return _shrink_(Param.addcdiv_(grad, Moment.sqrt(), value=-rate), rate, l1, l2), Moment


def _shrink_(param: Tensor, rate: float, l1: float, l2: float) -> Tensor:
    if l1 > 0:
        param.copy_(torch.nn.functional.softshrink(param, rate * l1))
    return param.div_(1 + rate * l2)
