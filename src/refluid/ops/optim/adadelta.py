"""adadelta: steps as long as the recent ones, so that there is no learning rate."""

from __future__ import annotations

from refluid.ops.optim.common import dense
from refluid.ops.registry import FLOATS, Tensor, op


@op(
    "ParamOut AvgSquaredGradOut AvgSquaredUpdateOut",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={
        "ParamOut": "Param",
        "AvgSquaredGradOut": "AvgSquaredGrad",
        "AvgSquaredUpdateOut": "AvgSquaredUpdate",
    },
    nograd="*",
)
def adadelta(
    Param: Tensor,
    Grad: Tensor,
    AvgSquaredGrad: Tensor,
    AvgSquaredUpdate: Tensor,
    *,
    rho: float = 0.95,
    epsilon: float = 1e-6,
) -> tuple[Tensor, Tensor, Tensor]:
    """With running means E of squares: update = -sqrt((E[update^2] + epsilon) / (E[Grad^2] + epsilon)) * Grad."""
    grad = dense(Grad, Param)
    AvgSquaredGrad.mul_(rho).addcmul_(grad, grad, value=1 - rho)
    step = (AvgSquaredUpdate + epsilon).div_(AvgSquaredGrad + epsilon).sqrt_().mul_(grad)
    AvgSquaredUpdate.mul_(rho).addcmul_(step, step, value=1 - rho)
    return Param.sub_(step), AvgSquaredGrad, AvgSquaredUpdate
