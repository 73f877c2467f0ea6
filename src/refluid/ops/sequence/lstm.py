"""lstm: LSTM over sequences of projected inputs."""

from __future__ import annotations

import math

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, LoD, Tensor, op
from refluid.ops.sequence import native_lstm
from refluid.ops.sequence.gates import SLOPES, activation, native_takes
from refluid.ops.sequence.segments import need_lod
from refluid.ops.sequence.steps import steps_of


@op(
    "Hidden Cell BatchGate BatchCellPreAct",
    dtypes={"Input": FLOATS, "Weight": FLOATS, "Bias": FLOATS},
    intermediate="BatchGate BatchCellPreAct",
)
def lstm(
    Input: Tensor,
    Input_lod: LoD | None,
    H0: Tensor | None,
    C0: Tensor | None,
    Weight: Tensor,
    Bias: Tensor,
    *,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """c = i * candidate + f * previous c, h = o * cell_activation(c) (Hochreiter and Schmidhuber, 1997).

    Input [rows, 4D], Weight [D, 4D] and Bias [1, 4D] hold the parts of the candidate, i, f and o in this order. With
    peepholes Bias is [1, 7D] and ends with the peephole weights of i, f and o. BatchGate [rows, 4D] are all four after
    their activations and BatchCellPreAct the activated cells, both in the order of steps (steps.py).
    """
    size = check_sizes(Input, Weight, Bias, use_peepholes)
    lod = need_lod(Input_lod, Input.shape[0], "Input")
    check_first(lod, size, H0, "H0")
    check_first(lod, size, C0, "C0")
    steps = steps_of(lod, is_reverse, Input.device)
    of_gate, of_cell = activation(gate_activation), activation(cell_activation)
    of_candidate = activation(candidate_activation)
    if native_takes(Input, H0, C0, Weight, Bias):
        kinds = (gate_activation, cell_activation, candidate_activation)
        return native_lstm.forward(native_lstm.Lstm(steps, Weight, Bias, H0, C0, use_peepholes, *kinds), Input)
    bias = Bias.reshape(-1)
    see_i, see_f, see_o = bias[4 * size :].split(size) if use_peepholes else (None, None, None)
    hidden, cell = steps.first(H0, Input, size), steps.first(C0, Input, size)
    hiddens, cells, gates, actives = [], [], [], []
    for x in steps.split(steps.gather(Input) + bias[: 4 * size]):
        hidden, cell = hidden[: len(x)], cell[: len(x)]
        c, i, f, o = torch.addmm(x, hidden, Weight).split(size, 1)
        if see_i is not None and see_f is not None:
            i, f = torch.addcmul(i, cell, see_i), torch.addcmul(f, cell, see_f)
        c, i, f = of_candidate(c), of_gate(i), of_gate(f)
        cell = torch.addcmul(c * i, cell, f)
        if see_o is not None:
            o = torch.addcmul(o, cell, see_o)
        o, active = of_gate(o), of_cell(cell)
        hidden = o * active
        hiddens.append(hidden)
        cells.append(cell)
        gates.append(torch.cat([c, i, f, o], 1))
        actives.append(active)
    if not gates:
        empty = Input.new_empty(0, size)
        return empty, empty.clone(), torch.empty_like(Input), empty.clone()
    return steps.scatter(torch.cat(hiddens)), steps.scatter(torch.cat(cells)), torch.cat(gates), torch.cat(actives)


@lstm.grad(once=True)
def lstm_grad(
    Input: Tensor,
    Input_lod: LoD | None,
    H0: Tensor | None,
    C0: Tensor | None,
    Weight: Tensor,
    Bias: Tensor,
    Hidden: Tensor,
    Cell: Tensor,
    BatchGate: Tensor,
    BatchCellPreAct: Tensor,
    Hidden_grad: Tensor,
    Cell_grad: Tensor | None,
    *,
    use_peepholes: bool,
    is_reverse: bool,
    gate_activation: str,
    cell_activation: str,
    candidate_activation: str,
) -> tuple[Tensor, Tensor | None, Tensor | None, Tensor, Tensor]:
    size = Weight.shape[0]
    steps = steps_of(need_lod(Input_lod, Input.shape[0], "Input"), is_reverse, Input.device)
    of_gate, of_cell, of_candidate = SLOPES[gate_activation], SLOPES[cell_activation], SLOPES[candidate_activation]
    if not steps.sizes:
        return torch.zeros_like(Input), H0, C0, torch.zeros_like(Weight), torch.zeros_like(Bias)
    if native_takes(Input, H0, C0, Weight, Bias, Hidden, Cell, BatchGate, BatchCellPreAct, Hidden_grad, Cell_grad):
        kinds = (gate_activation, cell_activation, candidate_activation)
        net = native_lstm.Lstm(steps, Weight, Bias, H0, C0, use_peepholes, *kinds)
        return native_lstm.backward(net, Hidden, Cell, BatchGate, BatchCellPreAct, Hidden_grad, Cell_grad)
    see = Bias.reshape(-1)[4 * size :].split(size) if use_peepholes else None
    h0, c0 = steps.first(H0, Input, size), steps.first(C0, Input, size)
    cells = steps.gather(Cell)
    before = steps.previous(cells, c0)
    # What the gradients of a step are multiplied with, of all steps at once: a step itself is then five calls.
    c, i, f, o = BatchGate.split(size, 1)
    hidden_to_o = of_gate(o, BatchCellPreAct)
    hidden_to_cell = of_cell(BatchCellPreAct, o)
    cell_to_gates = torch.stack([of_candidate(c, i), of_gate(i, c), of_gate(f, before)], 1)
    cell_to_before = f
    if see is not None:
        hidden_to_cell = torch.addcmul(hidden_to_cell, hidden_to_o, see[2])
        _, of_i, of_f = cell_to_gates.unbind(1)
        cell_to_before = torch.addcmul(torch.addcmul(f, of_i, see[0]), of_f, see[1])
    dh = steps.gather(Hidden_grad)
    dc = torch.zeros_like(dh) if Cell_grad is None else steps.gather(Cell_grad)
    part = torch.empty_like(BatchGate)
    by_gate = part.view(-1, 4, size)
    dhs, dcs, parts = steps.split(dh), steps.split(dc), steps.split(part)
    rows_of_dc, three, last = steps.split(dc.unsqueeze(1)), steps.split(by_gate[:, :3]), steps.split(by_gate[:, 3])
    to_o, to_cell = steps.split(hidden_to_o), steps.split(hidden_to_cell)
    to_gates, to_before = steps.split(cell_to_gates), steps.split(cell_to_before)
    earlier_dhs, earlier_dcs = steps.ongoing(dh), steps.ongoing(dc)
    back = Weight.t()
    for t in range(len(steps.sizes) - 1, -1, -1):
        torch.mul(dhs[t], to_o[t], out=last[t])
        dcs[t].addcmul_(dhs[t], to_cell[t])
        torch.mul(rows_of_dc[t], to_gates[t], out=three[t])
        if t:
            earlier_dcs[t - 1].addcmul_(dcs[t], to_before[t])
            earlier_dhs[t - 1].addmm_(parts[t], back)
    bias_grad = [part.sum(0)]
    if see is not None:
        _, di, df, do = part.split(size, 1)
        bias_grad += [(di * before).sum(0), (df * before).sum(0), (do * cells).sum(0)]
    return (
        steps.scatter(part),
        None if H0 is None else steps.unordered(parts[0].mm(back)),
        None if C0 is None else steps.unordered(dcs[0] * to_before[0]),
        steps.previous(steps.gather(Hidden), h0).t().mm(part),
        torch.cat(bias_grad).reshape(Bias.shape),
    )


@lstm.lods
def lstm_lods(ins: list, values: list, attrs: dict) -> list:
    return [ins[0], ins[0], None, None]


@lstm.infer
def lstm_shape(inputs: list, attrs: dict) -> list | None:
    x, _, _, weight, bias = inputs
    size = weight.shape[0]
    biases = (7 if attrs["use_peepholes"] else 4) * size
    if x.shape != (x.shape[0], 4 * size) or weight.shape != (size, 4 * size):
        return None
    if math.prod(bias.shape) != biases:
        return None
    narrow = x._replace(shape=(x.shape[0], size))
    inner = narrow._replace(lod_level=0)
    return [narrow, narrow, x._replace(lod_level=0), inner]


def check_sizes(x: Tensor, weight: Tensor, bias: Tensor, peepholes: bool) -> int:
    """The width D of hidden values."""
    size = weight.shape[0]
    if weight.dim() != 2 or x.dim() != 2 or weight.shape[1] != 4 * size or x.shape[1] != 4 * size:
        raise ShapeError(f"Weight must be [D, 4D] and Input [rows, 4D], got {list(weight.shape)}, {list(x.shape)}")
    wanted = 7 if peepholes else 4
    if bias.numel() != wanted * size:
        said = f"with use_peepholes={peepholes}"
        raise ShapeError(f"Bias must have {wanted} * {size} elements {said}, got {list(bias.shape)}")
    return size


def check_first(lod: LoD, size: int, first: Tensor | None, slot: str) -> None:
    if first is not None and list(first.shape) != [lod.count(), size]:
        raise ShapeError(f"{slot} must be [{lod.count()}, {size}], a row for each sequence, got {list(first.shape)}")
