"""lars_momentum: momentum with a learning rate per layer, from the norms of its weights and gradient."""

from __future__ import annotations

import torch

from refluid.ops.optim.common import dense, numbers
from refluid.ops.registry import FLOATS, Tensor, op


@op(
    "ParamOut VelocityOut",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={"ParamOut": "Param", "VelocityOut": "Velocity"},
    nograd="*",
)
def lars_momentum(
    Param: Tensor,
    Grad: Tensor,
    Velocity: Tensor,
    LearningRate: Tensor,
    *,
    mu: float,
    lars_coeff: float = 0.001,
    lars_weight_decay: float = 0.0005,
) -> tuple[Tensor, Tensor]:
    """Velocity = mu * Velocity + local * (Grad + decay * Param); Param -= Velocity, where

    local = rate * coeff * |Param| / (|Grad| + decay * |Param|), or the plain rate if a norm is zero.
    """
    lars_momentum_fused(
        [Param],
        [dense(Grad, Param)],
        [Velocity],
        [LearningRate],
        mu=mu,
        lars_coeff=lars_coeff,
        lars_weight_decay=lars_weight_decay,
    )
    return Param, Velocity


@lars_momentum.fused
def lars_momentum_fused(
    Param: list[Tensor],
    Grad: list[Tensor],
    Velocity: list[Tensor],
    LearningRate: list[Tensor],
    *,
    mu: float,
    lars_coeff: float = 0.001,
    lars_weight_decay: float = 0.0005,
) -> None:
    decay = lars_weight_decay
    norms = torch.stack(torch._foreach_norm([*Param, *Grad])).tolist()
    rates = [
        rate * lars_coeff * p / (g + decay * p) if p > 0 and g > 0 else rate
        for rate, p, g in zip(numbers(LearningRate), norms, norms[len(Param) :], strict=False)
    ]
    steps = torch._foreach_add(Grad, Param, alpha=decay)
    torch._foreach_mul_(steps, rates)
    torch._foreach_mul_(Velocity, mu)
    torch._foreach_add_(Velocity, steps)
    torch._foreach_sub_(Param, Velocity)
