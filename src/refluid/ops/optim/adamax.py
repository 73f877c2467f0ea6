"""adamax: adam with the largest gradient in place of the root mean square."""

from __future__ import annotations

import torch

from refluid.ops.optim.common import corrected, dense, scalar
from refluid.ops.registry import FLOATS, Tensor, op


@op(
    "ParamOut MomentOut InfNormOut",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={"ParamOut": "Param", "MomentOut": "Moment", "InfNormOut": "InfNorm"},
    nograd="*",
    row_states="Moment InfNorm",
)
def adamax(
    Param: Tensor,
    Grad: Tensor,
    LearningRate: Tensor,
    Moment: Tensor,
    InfNorm: Tensor,
    Beta1Pow: Tensor,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> tuple[Tensor, Tensor, Tensor]:
    """Moment = beta1 * Moment + (1 - beta1) * Grad; InfNorm = max(|Grad|, beta2 * InfNorm + epsilon);

    Param -= rate / (1 - Beta1Pow) * Moment / InfNorm. The program itself moves Beta1Pow on.
    """
    grad = dense(Grad, Param)
    Moment.mul_(beta1).add_(grad, alpha=1 - beta1)
    torch.maximum(grad.abs(), InfNorm.mul_(beta2).add_(epsilon), out=InfNorm)
    rate = corrected(scalar(LearningRate), scalar(Beta1Pow, "Beta1Pow"))
    return Param.addcdiv_(Moment, InfNorm, value=-rate), Moment, InfNorm
