"""Deep gradient compression (Lin et al., 2018): a rank sends the largest elements of a gradient and keeps the rest.

The rest is accumulated into the next gradients, with momentum, until it is large enough to be sent. Ranks exchange the
chosen elements as the rows of a sparse gradient.
"""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.ops.optim.common import scalar
from refluid.ops.optim.momentum import momentum
from refluid.ops.registry import FLOATS, Tensor, op
from refluid.tensor.selected_rows import SelectedRows

L1, L2 = 1, 2


@op("U_out V_out Grad_out k", lod=None, dtypes={"Grad": FLOATS}, inplace={"U_out": "U", "V_out": "V"}, nograd="*")
def dgc(
    U: Tensor,
    V: Tensor,
    Grad: Tensor,
    Param: Tensor,
    current_step: Tensor,
    *,
    m: float = 0.9,
    use_nesterov: bool = True,
    sparsity: list[float],
    rampup_begin_step: float = 0.0,
    rampup_step: float = 0.0,
    regular_coeff: float = 0.0,
    regular_type: int = 0,
) -> tuple[Tensor, Tensor, Tensor | SelectedRows, Tensor]:
    """Grad_out are the k largest elements accumulated in V, as rows of the flat gradient; they become 0 in V and U.

    Before `rampup_begin_step` Grad_out is Grad. `sparsity` is the share that is kept, by stages over `rampup_step`.
    """
    count = Grad.numel()
    step = float(current_step) - rampup_begin_step
    if step < 0:
        return U, V, Grad, Grad.new_tensor([float(count)])
    grad = Grad if not regular_type else Grad + regular_coeff * (Param.sign() if regular_type == L1 else Param)
    if use_nesterov:
        U.add_(grad).mul_(m)
        V.add_(U).add_(grad)
    else:
        U.mul_(m).add_(grad)
        V.add_(U)
    k = max(1, int(count * (1.0 - _sparsity(sparsity, step, rampup_step))))
    gathered = V.reshape(-1)
    chosen = gathered.abs().topk(k).indices.sort().values
    sent = SelectedRows.of(chosen, gathered[chosen].reshape(-1, 1), count)
    V.view(-1)[chosen] = 0
    U.view(-1)[chosen] = 0
    return U, V, sent, Grad.new_tensor([float(k)])


@dgc.infer
def _unchanged(inputs: list, attrs: dict) -> list:
    return [inputs[0], inputs[1], inputs[2], None]


def _sparsity(stages: list[float], step: float, rampup_step: float) -> float:
    if not stages:
        raise ArgumentError("sparsity must have one number at least")
    if step >= rampup_step:
        return stages[-1]
    return stages[min(int(step * len(stages) / rampup_step), len(stages) - 1)]


@op(
    "ParamOut VelocityOut Grad_out",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={"ParamOut": "Param", "VelocityOut": "Velocity"},
    nograd="*",
    dispensable="Grad_out",
)
def dgc_momentum(
    Param: Tensor,
    Grad: Tensor | SelectedRows,
    Velocity: Tensor,
    LearningRate: Tensor,
    current_step: Tensor,
    nranks: Tensor | None = None,
    *,
    mu: float,
    use_nesterov: bool = False,
    rampup_begin_step: float = -1.0,
) -> tuple[Tensor, Tensor, Tensor | SelectedRows]:
    """Momentum before `rampup_begin_step`; after it the momentum is in what dgc sends, and this is plain descent."""
    if float(current_step) < rampup_begin_step:
        param, velocity = momentum.kernel(Param, Grad, Velocity, LearningRate, mu=mu, use_nesterov=use_nesterov)
        return param, velocity, Grad
    rate = scalar(LearningRate)
    if isinstance(Grad, SelectedRows):
        Param.view(-1).index_add_(0, Grad.index, Grad.value.reshape(-1), alpha=-rate)
    else:
        Param.add_(Grad, alpha=-rate)
    return Param, Velocity, Grad


@dgc_momentum.infer
def _updated(inputs: list, attrs: dict) -> list:
    param, grad, velocity = inputs[:3]
    return [param, velocity, grad]
