"""lstm_unit: one step of an LSTM."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op("C H", lod=None, dtypes={"X": FLOATS, "C_prev": FLOATS})
def lstm_unit(X: Tensor, C_prev: Tensor, *, forget_bias: float = 0.0) -> tuple[Tensor, Tensor]:
    """C = sigmoid(f + forget_bias) * C_prev + sigmoid(i) * tanh(j), H = tanh(C) * sigmoid(o).

    X [N, 4D] holds the parts i, f, o and j in this order.
    """
    size = C_prev.shape[1] if C_prev.dim() == 2 else -1
    if X.dim() != 2 or X.shape[1] != 4 * size:
        raise ShapeError(f"C_prev must be [N, D] and X [N, 4D], got {list(C_prev.shape)} and {list(X.shape)}")
    i, f, o, j = X.split(size, 1)
    c = torch.addcmul(torch.sigmoid(i) * torch.tanh(j), torch.sigmoid(f + forget_bias), C_prev)
    return c, torch.tanh(c) * torch.sigmoid(o)


@lstm_unit.grad
def lstm_unit_grad(
    X: Tensor, C_prev: Tensor, C: Tensor, C_grad: Tensor, H_grad: Tensor, *, forget_bias: float
) -> tuple[Tensor, Tensor]:
    i, f, o, j = X.split(C_prev.shape[1], 1)
    i, f, o, j, active = torch.sigmoid(i), torch.sigmoid(f + forget_bias), torch.sigmoid(o), torch.tanh(j), C.tanh()
    dc = C_grad + H_grad * o * (1 - active * active)
    parts = [dc * j * i * (1 - i), dc * C_prev * f * (1 - f), H_grad * active * o * (1 - o), dc * i * (1 - j * j)]
    return torch.cat(parts, 1), dc * f
