"""adadelta: steps scaled by recent updates instead of a learning rate."""

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
    row_states="AvgSquaredGrad AvgSquaredUpdate",
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
    """With running means E of squares: update = -sqrt((E[update^2] + epsilon) / (E[Grad^2] + epsilon)) * Grad.

    Fluid computes it once more after E[update^2] has moved on, and this is what Param gets, wherever both are updated
    in place.
    """
    grad = dense(Grad, Param)
    AvgSquaredGrad.mul_(rho).addcmul_(grad, grad, value=1 - rho)
    step = _step(AvgSquaredGrad, AvgSquaredUpdate, grad, epsilon)
    AvgSquaredUpdate.mul_(rho).addcmul_(step, step, value=1 - rho)
    return Param.sub_(_step(AvgSquaredGrad, AvgSquaredUpdate, grad, epsilon)), AvgSquaredGrad, AvgSquaredUpdate


def _step(square: Tensor, square_of_steps: Tensor, grad: Tensor, epsilon: float) -> Tensor:
    return (square_of_steps + epsilon).div_(square + epsilon).sqrt_().mul_(grad)
