"""attention_lstm: an LSTM with attention over its whole sequence in every step."""

from __future__ import annotations

from itertools import pairwise

import torch

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, LoD, Tensor, op
from refluid.ops.sequence.gates import activation
from refluid.ops.sequence.lstm import check_first
from refluid.ops.sequence.segments import need_lod

INNER = "AttentionedX AttentionFCOut LSTMX LSTMOUT"


@op(
    f"Hidden Cell {INNER}",
    intermediate=INNER,
    dtypes={"X": FLOATS, "C0": FLOATS, "AttentionWeight": FLOATS, "LSTMWeight": FLOATS, "LSTMBias": FLOATS},
    nograd="*",
)
def attention_lstm(
    X: Tensor,
    X_lod: LoD | None,
    C0: Tensor,
    H0: Tensor | None,
    AttentionWeight: Tensor,
    AttentionBias: Tensor | None,
    AttentionScalar: Tensor | None,
    AttentionScalarBias: Tensor | None,
    LSTMWeight: Tensor,
    LSTMBias: Tensor,
    *,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The input of every step is the mean of all M columns of the sequence, weighted by a softmax over its rows.

    A row's score is relu((row, cell).AttentionWeight + AttentionBias), and with AttentionScalar
    relu(score * AttentionScalar + AttentionScalarBias). AttentionWeight is [M + D, 1]; LSTMWeight [D + M, 4D] and
    LSTMBias [1, 4D] hold forget, input and output gate and candidate. The other outputs are those of Fluid's last
    step: the rows' part of the scores, the weights, the weighted mean and the four gates.
    """
    width, size = X.shape[-1], LSTMWeight.shape[1] // 4
    _check(X, AttentionWeight, LSTMWeight, LSTMBias)
    lod = need_lod(X_lod, X.shape[0], levels=1)
    check_first(lod, size, C0, "C0")
    check_first(lod, size, H0, "H0")
    of_gate, of_cell = activation(gate_activation), activation(cell_activation)
    of_candidate = activation(candidate_activation)
    of_rows = X.mm(AttentionWeight[:width])
    if AttentionBias is not None:
        of_rows = of_rows + AttentionBias.reshape(-1)
    hiddens, cells = [], []
    weights, looked, gates = X.new_zeros(0, 1), X.new_zeros(1, width), X.new_zeros(1, 4 * size)
    for number, (start, end) in enumerate(pairwise(lod.levels[0])):
        cell, hidden = C0[number : number + 1], None if H0 is None else H0[number : number + 1]
        for _ in range(start, end):
            scores = of_rows[start:end] + cell.mm(AttentionWeight[width:])
            weights = _weights(scores, AttentionScalar, AttentionScalarBias)
            looked = weights.t().mm(X[start:end])
            gates = torch.addmm(LSTMBias.reshape(1, -1), looked, LSTMWeight[size:])
            if hidden is not None:
                gates = torch.addmm(gates, hidden, LSTMWeight[:size])
            f, i, o, candidate = gates.split(size, 1)
            f, i, o, candidate = of_gate(f), of_gate(i), of_gate(o), of_candidate(candidate)
            cell = f * cell + i * candidate
            hidden = o * of_cell(cell)
            gates = torch.cat([f, i, o, candidate], 1)
            hiddens.append(hidden)
            cells.append(cell)
    empty = X.new_empty(0, size)
    return torch.cat([empty, *hiddens]), torch.cat([empty, *cells]), of_rows, weights, looked, gates


def _weights(scores: Tensor, scalar: Tensor | None, scalar_bias: Tensor | None) -> Tensor:
    scores = torch.relu(scores)
    if scalar is not None:
        scores = torch.relu(scores * scalar.reshape(-1) + (0.0 if scalar_bias is None else scalar_bias.reshape(-1)))
    return torch.softmax(scores, 0)


@attention_lstm.infer
def attention_lstm_shape(inputs: list, attrs: dict) -> list:
    x, attention, weight, bias = inputs[0], inputs[3], inputs[7], inputs[8]
    _check(x, attention, weight, bias)
    size = weight.shape[1] // 4
    hidden = Spec((x.shape[0], size), x.dtype)
    inner = [(x.shape[0], 1), (-1, 1), (1, x.shape[1]), (1, 4 * size)]
    return [hidden, hidden, *(Spec(shape, x.dtype, 0) for shape in inner)]


@attention_lstm.lods
def attention_lstm_lods(ins: list, values: list, attrs: dict) -> list:
    return [ins[0], ins[0], None, None, None, None]


def _check(x: Tensor | Spec, attention: Tensor | Spec, weight: Tensor | Spec, bias: Tensor | Spec) -> None:
    if len(x.shape) != 2 or len(weight.shape) != 2 or weight.shape[1] % 4:
        raise ShapeError(
            f"X must be [rows, M] and LSTMWeight [D + M, 4D], got {list(x.shape)} and {list(weight.shape)}"
        )
    width, size = x.shape[1], weight.shape[1] // 4
    if width >= 0 and (weight.shape[0] != width + size or tuple(attention.shape) != (width + size, 1)):
        raise ShapeError(
            f"LSTMWeight must be [{width + size}, {4 * size}] and AttentionWeight [{width + size}, 1], "
            f"got {list(weight.shape)} and {list(attention.shape)}"
        )
    if bias.shape[-1] != 4 * size:
        raise ShapeError(f"LSTMBias must be [1, {4 * size}], got {list(bias.shape)}")
