"""lamb: adam with a step per layer in proportion to its weights, for very large batches."""

from __future__ import annotations

import torch

from refluid.native.rows import add_rows
from refluid.ops.optim.common import dense, rows_of, scalar
from refluid.ops.registry import FLOATS, Tensor, op
from refluid.tensor.selected_rows import SelectedRows


@op(
    "ParamOut Moment1Out Moment2Out",
    lod=None,
    dtypes={"Param": FLOATS},
    inplace={"ParamOut": "Param", "Moment1Out": "Moment1", "Moment2Out": "Moment2"},
    nograd="*",
)
def lamb(
    Param: Tensor,
    Grad: Tensor | SelectedRows,
    LearningRate: Tensor,
    Moment1: Tensor,
    Moment2: Tensor,
    Beta1Pow: Tensor,
    Beta2Pow: Tensor,
    *,
    weight_decay: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-6,
) -> tuple[Tensor, Tensor, Tensor]:
    """Moments as adam's; r = Moment1 / (sqrt(Moment2) + epsilon) + weight_decay * Param;

    Param -= rate * |Param| / |r| * r, or rate * r if a norm is zero. As in 1.8.5, the bias of the moments stays,
    and the powers of the betas that the program keeps are not read.
    """
    Moment1.mul_(beta1)
    Moment2.mul_(beta2)
    if isinstance(Grad, SelectedRows):
        index, value = rows_of(Grad, Param)
        add_rows(Moment1, index, value, 1 - beta1)
        add_rows(Moment2, index, value.square(), 1 - beta2)
    else:
        grad = dense(Grad, Param)
        Moment1.add_(grad, alpha=1 - beta1)
        Moment2.addcmul_(grad, grad, value=1 - beta2)
    step = (Moment1 / Moment2.sqrt().add_(epsilon)).add_(Param, alpha=weight_decay)
    sizes = torch.stack([torch.linalg.vector_norm(Param), torch.linalg.vector_norm(step)]).tolist()
    trust = sizes[0] / sizes[1] if sizes[0] > 0 and sizes[1] > 0 else 1.0
    return Param.sub_(step, alpha=scalar(LearningRate) * trust), Moment1, Moment2
