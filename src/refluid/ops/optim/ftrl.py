"""ftrl: follow the regularized leader, for sparse linear models."""

from __future__ import annotations

import torch

from refluid.ops.optim.common import dense, scalar
from refluid.ops.registry import FLOATS, Tensor, op


@op(
    "ParamOut SquaredAccumOut LinearAccumOut",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={
        "ParamOut": "Param",
        "SquaredAccumOut": "SquaredAccumulator",
        "LinearAccumOut": "LinearAccumulator",
    },
    nograd="*",
    row_states="SquaredAccumulator LinearAccumulator",
)
def ftrl(
    Param: Tensor,
    SquaredAccumulator: Tensor,
    LinearAccumulator: Tensor,
    Grad: Tensor,
    LearningRate: Tensor,
    *,
    l1: float = 0.0,
    l2: float = 0.0,
    lr_power: float = -0.5,
) -> tuple[Tensor, Tensor, Tensor]:
    """With s = SquaredAccumulator^(-lr_power) before and s' after adding Grad^2:

    linear += Grad - (s' - s) / rate * Param; Param = (sign(linear) * l1 - linear) / (s' / rate + 2 * l2), or zero
    where |linear| <= l1.
    """
    grad, rate = dense(Grad, Param), scalar(LearningRate)
    before = SquaredAccumulator.pow(-lr_power)
    after = SquaredAccumulator.addcmul_(grad, grad).pow(-lr_power)
    LinearAccumulator.add_(grad).sub_((after - before).div_(rate).mul_(Param))
    # What exceeds l1 shrinks by it; the rest is zero, which is what softshrink does.
    shrunk = torch.nn.functional.softshrink(LinearAccumulator, l1)
    some = LinearAccumulator.abs() > l1  # where no gradient has been, the quotient would be 0 / 0
    torch.div(shrunk.neg_(), after.div_(rate).add_(2 * l2), out=Param).masked_fill_(~some, 0.0)
    return Param, SquaredAccumulator, LinearAccumulator
