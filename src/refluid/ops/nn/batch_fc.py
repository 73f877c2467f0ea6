"""batch_fc: a fully connected layer per slot, all in one product."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", lod=None, dtypes={"Input": FLOATS, "W": FLOATS, "Bias": FLOATS})
def batch_fc(Input: Tensor, W: Tensor, Bias: Tensor) -> Tensor:
    """Out[s] = Input[s] . W[s] + Bias[s] for every slot s.

    Input is [slots, N, width], W [slots, width, outputs], Bias [slots, outputs].
    """
    slots, width, outputs = _three("W", W)
    if Input.dim() != 3 or (Input.shape[0], Input.shape[2]) != (slots, width):
        raise ShapeError(f"Input must be [{slots}, N, {width}] for W {list(W.shape)}, got {list(Input.shape)}")
    if list(Bias.shape) != [slots, outputs]:
        raise ShapeError(f"Bias must be [{slots}, {outputs}] for W {list(W.shape)}, got {list(Bias.shape)}")
    return torch.baddbmm(Bias.unsqueeze(1), Input, W)


def _three(what: str, t: Tensor) -> tuple[int, int, int]:
    if t.dim() != 3:
        raise ShapeError(f"{what} must be [slots, width, outputs], got {list(t.shape)}")
    return t.shape[0], t.shape[1], t.shape[2]


@batch_fc.grad
def batch_fc_grad(Input: Tensor, W: Tensor, Out_grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return (
        torch.bmm(Out_grad, W.transpose(1, 2)),
        torch.bmm(Input.transpose(1, 2), Out_grad),
        Out_grad.sum(1),
    )
