"""decayed_adagrad: adagrad with exponential decay of its moment."""

from __future__ import annotations

from refluid.ops.optim.common import dense, scalar
from refluid.ops.registry import FLOATS, Tensor, op


@op(
    "ParamOut MomentOut",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={"ParamOut": "Param", "MomentOut": "Moment"},
    nograd="*",
    row_states="Moment",
)
def decayed_adagrad(
    Param: Tensor, Grad: Tensor, Moment: Tensor, LearningRate: Tensor, *, decay: float = 0.95, epsilon: float = 1e-6
) -> tuple[Tensor, Tensor]:
    """Moment = decay * Moment + (1 - decay) * Grad^2; Param -= rate * Grad / (sqrt(Moment) + epsilon)."""
    grad = dense(Grad, Param)
    Moment.mul_(decay).addcmul_(grad, grad, value=1 - decay)
    return Param.addcdiv_(grad, Moment.sqrt().add_(epsilon), value=-scalar(LearningRate)), Moment
