"""gru: gated recurrent units over sequences of projected inputs."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, LoD, Tensor, op
from refluid.ops.sequence import native_gru
from refluid.ops.sequence.gates import SLOPES, activation as activation_of, native_takes
from refluid.ops.sequence.gru_unit import matrices
from refluid.ops.sequence.lstm import check_first
from refluid.ops.sequence.segments import need_lod
from refluid.ops.sequence.steps import steps_of


@op(
    "BatchGate BatchResetHiddenPrev BatchHidden Hidden",
    dtypes={"Input": FLOATS, "Weight": FLOATS},
    intermediate="BatchGate BatchResetHiddenPrev BatchHidden",
    naming="Hidden BatchGate BatchResetHiddenPrev BatchHidden",
    grad_keeps="Hidden",
)
def gru(
    Input: Tensor,
    Input_lod: LoD | None,
    H0: Tensor | None,
    Weight: Tensor,
    Bias: Tensor | None = None,
    *,
    activation: str = "tanh",
    gate_activation: str = "sigmoid",
    is_reverse: bool = False,
    origin_mode: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The step of gru_unit along every sequence: h = (1 - u) * h + u * c, with origin_mode u and 1 - u swapped.

    Input is [rows, 3D], Weight [D, 3D], Bias [1, 3D]. The Batch* outputs are in the order of steps (steps.py):
    the gates (u, r, c), r * h of the previous step, and h.
    """
    size = _check(Input, Weight, Bias)
    lod = need_lod(Input_lod, Input.shape[0], "Input")
    check_first(lod, size, H0, "H0")
    steps = steps_of(lod, is_reverse, Input.device)
    of_gate, of_candidate = activation_of(gate_activation), activation_of(activation)
    if native_takes(Input, H0, Weight, Bias):
        return native_gru.forward(
            native_gru.Gru(steps, Weight, Bias, H0, gate_activation, activation, origin_mode), Input
        )
    to_gates, to_candidate = matrices(Weight)
    parts = steps.gather(Input)
    hidden = steps.first(H0, Input, size)
    gates, resets, hiddens = [], [], []
    for x in steps.split(parts if Bias is None else parts + Bias.reshape(1, -1)):
        hidden = hidden[: len(x)]
        both = of_gate(torch.addmm(x[:, : 2 * size], hidden, to_gates))
        u, r = both.split(size, 1)
        reset = r * hidden
        c = of_candidate(torch.addmm(x[:, 2 * size :], reset, to_candidate))
        hidden = torch.lerp(c, hidden, u) if origin_mode else torch.lerp(hidden, c, u)
        gates.append(torch.cat([both, c], 1))
        resets.append(reset)
        hiddens.append(hidden)
    if not gates:
        empty = Input.new_empty(0, size)
        return torch.empty_like(Input), empty, empty.clone(), empty.clone()
    all_hidden = torch.cat(hiddens)
    return torch.cat(gates), torch.cat(resets), all_hidden, steps.scatter(all_hidden)


@gru.grad(once=True)
def gru_grad(
    Input: Tensor,
    Input_lod: LoD | None,
    H0: Tensor | None,
    Weight: Tensor,
    Bias: Tensor | None,
    BatchGate: Tensor,
    BatchResetHiddenPrev: Tensor,
    BatchHidden: Tensor,
    Hidden_grad: Tensor,
    *,
    activation: str,
    gate_activation: str,
    is_reverse: bool,
    origin_mode: bool,
) -> tuple[Tensor, Tensor | None, Tensor, Tensor | None]:
    size = Weight.shape[0]
    steps = steps_of(need_lod(Input_lod, Input.shape[0], "Input"), is_reverse, Input.device)
    if not steps.sizes:
        return torch.zeros_like(Input), H0, torch.zeros_like(Weight), Bias
    if native_takes(Input, H0, Weight, Bias, BatchGate, BatchHidden, Hidden_grad):
        net = native_gru.Gru(steps, Weight, Bias, H0, gate_activation, activation, origin_mode)
        return native_gru.backward(net, BatchGate, BatchHidden, Hidden_grad)
    of_gate, of_candidate = SLOPES[gate_activation], SLOPES[activation]
    to_gates, to_candidate = matrices(Weight)
    from_gates, from_candidate = to_gates.t(), to_candidate.t()
    before = steps.previous(BatchHidden, steps.first(H0, Input, size))
    # What the gradients of a step are multiplied with, of all steps at once.
    u, r, c = BatchGate.split(size, 1)
    kept, new = (u, 1 - u) if origin_mode else (1 - u, u)
    to_u = steps.split(of_gate(u, before - c if origin_mode else c - before))
    to_r, to_c = steps.split(of_gate(r, before)), steps.split(of_candidate(c, new))
    resets, keeps = steps.split(r), steps.split(kept)
    grad = steps.gather(Hidden_grad)
    part = torch.empty_like(BatchGate)
    grads, earlier = steps.split(grad), steps.ongoing(grad)
    du, dr, dc = (steps.split(columns) for columns in part.split(size, 1))
    dgates = steps.split(part[:, : 2 * size])
    first = grad.new_zeros(steps.sizes[0], size)  # the gradient of the state before the first step
    for t in range(len(steps.sizes) - 1, -1, -1):
        torch.mul(grads[t], to_u[t], out=du[t])
        dreset = torch.mul(grads[t], to_c[t], out=dc[t]).mm(from_candidate)
        torch.mul(dreset, to_r[t], out=dr[t])
        more = earlier[t - 1] if t else first
        more.addmm_(dgates[t], from_gates).addcmul_(grads[t], keeps[t]).addcmul_(dreset, resets[t])
    gate_weight = before.t().mm(part[:, : 2 * size])
    candidate_weight = BatchResetHiddenPrev.t().mm(part[:, 2 * size :])
    return (
        steps.scatter(part),
        None if H0 is None else steps.unordered(first),
        torch.cat([gate_weight.reshape(-1), candidate_weight.reshape(-1)]).reshape(Weight.shape),
        None if Bias is None else part.sum(0).reshape(Bias.shape),
    )


@gru.lods
def gru_lods(ins: list, values: list, attrs: dict) -> list:
    return [None, None, None, ins[0]]


@gru.infer
def gru_shape(inputs: list, attrs: dict) -> list | None:
    gates, _, weight, _ = inputs
    size = weight.shape[0]
    if gates.shape != (gates.shape[0], 3 * size) or weight.shape != (size, 3 * size):
        return None
    narrow = gates._replace(shape=(gates.shape[0], size))
    inner = narrow._replace(lod_level=0)
    return [gates._replace(lod_level=0), inner, inner, narrow]


def _check(x: Tensor, weight: Tensor, bias: Tensor | None) -> int:
    size = weight.shape[0]
    if weight.dim() != 2 or x.dim() != 2 or weight.shape[1] != 3 * size or x.shape[1] != 3 * size:
        raise ShapeError(f"Weight must be [D, 3D] and Input [rows, 3D], got {list(weight.shape)}, {list(x.shape)}")
    if bias is not None and bias.numel() != 3 * size:
        raise ShapeError(f"Bias must have 3 * {size} elements, got {list(bias.shape)}")
    return size
