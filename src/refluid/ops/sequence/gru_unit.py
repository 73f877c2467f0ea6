"""gru_unit: one step of a gated recurrent unit."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import FLOATS, Tensor, op
from refluid.ops.sequence.gates import ACTIVATIONS, NUMBERS, SLOPES

SIGMOID, TANH = NUMBERS["sigmoid"], NUMBERS["tanh"]
_ACTIVATIONS = {NUMBERS[name]: function for name, function in ACTIVATIONS.items()}
_SLOPES = {NUMBERS[name]: function for name, function in SLOPES.items()}


@op(
    "Gate ResetHiddenPrev Hidden",
    lod=None,
    dtypes={"Input": FLOATS, "HiddenPrev": FLOATS, "Weight": FLOATS},
    intermediate="Gate ResetHiddenPrev",
    grad_keeps="Input",
)
def gru_unit(
    Input: Tensor,
    HiddenPrev: Tensor,
    Weight: Tensor,
    Bias: Tensor | None = None,
    *,
    activation: int = TANH,
    gate_activation: int = SIGMOID,
    origin_mode: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """u, r = gates, c = candidate; Hidden = (1 - u) * HiddenPrev + u * c, with origin_mode u and 1 - u swapped.

    Input [N, 3D] has the parts of u, r and c; Gate [N, 3D] is (u, r, c) and ResetHiddenPrev is r * HiddenPrev. Weight
    [D, 3D] holds a matrix [D, 2D] for u and r, then one [D, D] for c.
    """
    if Input.dim() != 2 or HiddenPrev.dim() != 2 or Input.shape[0] != HiddenPrev.shape[0]:
        raise ShapeError(
            f"Input must be [N, 3 * D] and HiddenPrev [N, D], got {list(Input.shape)} and {list(HiddenPrev.shape)}"
        )
    size = HiddenPrev.shape[1]
    if Input.shape[1] != 3 * size or list(Weight.shape) != [size, 3 * size]:
        raise ShapeError(
            f"HiddenPrev has {size} columns, so Input must have {3 * size} and Weight be [{size}, {3 * size}], "
            f"got {list(Input.shape)} and {list(Weight.shape)}"
        )
    if activation not in _ACTIVATIONS or gate_activation not in _ACTIVATIONS:
        raise ArgumentError(f"activations must be 0 to 3, got {activation} and {gate_activation}")
    of_gates, of_candidate = matrices(Weight)
    parts = Input if Bias is None else Input + Bias.reshape(1, -1)
    gates = _ACTIVATIONS[gate_activation](torch.addmm(parts[:, : 2 * size], HiddenPrev, of_gates))
    u, r = gates[:, :size], gates[:, size:]
    reset = r * HiddenPrev
    c = _ACTIVATIONS[activation](torch.addmm(parts[:, 2 * size :], reset, of_candidate))
    hidden = torch.lerp(c, HiddenPrev, u) if origin_mode else torch.lerp(HiddenPrev, c, u)
    return torch.cat([gates, c], 1), reset, hidden


@gru_unit.grad(once=True)
def gru_unit_grad(
    HiddenPrev: Tensor,
    Weight: Tensor,
    Bias: Tensor | None,
    Gate: Tensor,
    ResetHiddenPrev: Tensor,
    Hidden_grad: Tensor,
    *,
    activation: int,
    gate_activation: int,
    origin_mode: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    size = HiddenPrev.shape[1]
    of_gates, of_candidate = matrices(Weight)
    u, r, c = Gate.split(size, 1)
    kept, new = (u, 1 - u) if origin_mode else (1 - u, u)
    u_grad = Hidden_grad * (HiddenPrev - c if origin_mode else c - HiddenPrev)
    c_grad = _SLOPES[activation](c, Hidden_grad * new)
    reset_grad = c_grad.mm(of_candidate.t())
    gates_grad = torch.cat(
        [_SLOPES[gate_activation](u, u_grad), _SLOPES[gate_activation](r, reset_grad * HiddenPrev)], 1
    )
    hidden_grad = Hidden_grad * kept + reset_grad * r + gates_grad.mm(of_gates.t())
    input_grad = torch.cat([gates_grad, c_grad], 1)
    weight_grad = torch.cat([HiddenPrev.t().mm(gates_grad).reshape(-1), ResetHiddenPrev.t().mm(c_grad).reshape(-1)])
    bias_grad = None if Bias is None else input_grad.sum(0).reshape(Bias.shape)
    return input_grad, hidden_grad, weight_grad.reshape(Weight.shape), bias_grad


def matrices(weight: Tensor) -> tuple[Tensor, Tensor]:
    """The matrix of the gates and that of the candidate, which are stored one after the other."""
    size = weight.shape[0]
    flat = weight.reshape(-1)
    return flat[: 2 * size * size].reshape(size, 2 * size), flat[2 * size * size :].reshape(size, size)
