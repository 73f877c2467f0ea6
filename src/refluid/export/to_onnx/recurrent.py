"""Recurrent units, over sequences and for one step.

ONNX has both units, on padded sequences [longest, sequences, width] and with matrices for the inputs, which Fluid has
multiplied already: those are matrices that only put the parts into ONNX's order.
"""

from __future__ import annotations

import numpy as np
import torch

from refluid.export.mapping import Ragged, Unsupported, Value, need_lod
from refluid.export.to_onnx.graph import Graph, maps
from refluid.export.to_onnx.sequence import count, row_numbers, segments, starts

ACTIVATIONS = {"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}
OF_NUMBER = {0: None, 1: "Sigmoid", 2: "Tanh", 3: "Relu"}  # how gru_unit writes them


@maps("lstm")
def lstm(
    g: Graph,
    Input: Value,
    H0: Value | None,
    C0: Value | None,
    Weight: Value,
    Bias: Value,
    *,
    use_peepholes: bool,
    is_reverse: bool,
    gate_activation: str,
    cell_activation: str,
    candidate_activation: str,
) -> Ragged:
    size, order = Weight.shape[0], [1, 3, 2, 0]  # Fluid: candidate, i, f, o; ONNX: i, o, f, candidate
    activations = [_activation(one) for one in (gate_activation, candidate_activation, cell_activation)]
    places = [part * size + i for part in order for i in range(size)]
    bias = g.reshape(Bias, -1)
    halves = g.concat(g.node("Gather", bias, g.ints(*places)), g.constant([0] * (4 * size), Input.dtype))
    peepholes = None
    if use_peepholes:  # Fluid: what i, f and o see of the cell; ONNX: i, o, f
        seen = [(4 + part) * size + i for part in (0, 2, 1) for i in range(size)]
        peepholes = g.reshape(g.node("Gather", bias, g.ints(*seen)), 1, -1)
    recurrence = g.unsqueeze(g.node("Gather", g.transpose(Weight, 1, 0), g.ints(*places), axis=0), 0)
    padded, lengths = _padded(g, Input)
    hidden = g.node(
        "LSTM", padded, _chosen(g, places, Input), recurrence, g.reshape(halves, 1, -1), g.cast(lengths, torch.int32),
        _first(g, H0), _first(g, C0), peepholes, hidden_size=size, direction="reverse" if is_reverse else "forward",
        activations=activations,
    )  # fmt: skip
    return Ragged(_unpadded(g, hidden, lengths), Input.lod)


@maps("gru")
def gru(
    g: Graph,
    Input: Value,
    H0: Value | None,
    Weight: Value,
    Bias: Value | None,
    *,
    activation: str,
    gate_activation: str,
    is_reverse: bool,
    origin_mode: bool,
) -> tuple[None, None, None, Ragged]:
    size = Weight.shape[0]
    if not origin_mode and gate_activation != "sigmoid":
        raise Unsupported(f"ONNX has no GRU with a gate of {gate_activation} that lets the candidate in")
    # ONNX's gate keeps the old value. Fluid's lets the new one in: the same with 1 - gate, a sigmoid of the negative.
    sign = 1 if origin_mode else -1
    signs = g.constant([[sign]] * size + [[1]] * size, Input.dtype)
    flat = g.reshape(Weight, -1)
    gates = g.reshape(g.node("Slice", flat, g.ints(0), g.ints(2 * size * size)), size, 2 * size)
    candidate = g.reshape(g.node("Slice", flat, g.ints(2 * size * size), g.ints(3 * size * size)), size, size)
    recurrence = g.concat(g.node("Mul", g.transpose(gates, 1, 0), signs), g.transpose(candidate, 1, 0), axis=0)
    chosen = np.diag([float(sign)] * size + [1.0] * (2 * size))[None]
    bias = None
    if Bias is not None:
        all_signs = g.constant([sign] * size + [1] * (2 * size), Input.dtype)
        halves = g.concat(g.node("Mul", g.reshape(Bias, -1), all_signs), g.constant([0] * (3 * size), Input.dtype))
        bias = g.reshape(halves, 1, -1)
    padded, lengths = _padded(g, Input)
    hidden = g.node(
        "GRU", padded, g.constant(chosen, Input.dtype), g.unsqueeze(recurrence, 0), bias, g.cast(lengths, torch.int32),
        _first(g, H0), hidden_size=size, direction="reverse" if is_reverse else "forward",
        activations=[_activation(gate_activation), _activation(activation)],
    )  # fmt: skip
    return None, None, None, Ragged(_unpadded(g, hidden, lengths), Input.lod)


def _activation(name: str) -> str:
    if name not in ACTIVATIONS:
        raise Unsupported(f"ONNX has no recurrent unit with the activation {name!r}")
    return ACTIVATIONS[name]


def _chosen(g: Graph, places: list[int], like: Value) -> str:
    """The matrix that puts the parts of an input into this order."""
    return g.constant(np.eye(len(places))[places][None], like.dtype)


def _padded(g: Graph, x: Value) -> tuple[str, str]:
    """Sequences as [longest, sequences, width], and their lengths."""
    lengths = need_lod(x, "Input")
    longest = g.reduce("Max", lengths, [0], True)
    shape = g.concat(longest, count(g, lengths), g.sizes(x, 1))
    return g.node("ScatterND", g.full(shape, 0, x.dtype), _cells(g, lengths), x), lengths


def _unpadded(g: Graph, hidden: str, lengths: str) -> str:
    return g.node("GatherND", g.squeeze(hidden, 1), _cells(g, lengths))


def _cells(g: Graph, lengths: str) -> str:
    """For every row its position in its sequence, and the number of the sequence; int64 [rows, 2]."""

    def make() -> str:
        ids = segments(g, lengths)
        place = g.node("Sub", row_numbers(g, lengths), g.node("Gather", starts(g, lengths), ids))
        return g.concat(g.unsqueeze(place, 1), g.unsqueeze(ids, 1), axis=1)

    return g.once(("cells", lengths), make)


def _first(g: Graph, state: Value | None) -> str | None:
    return None if state is None else g.unsqueeze(state, 0)


@maps("lstm_unit")
def lstm_unit(g: Graph, X: Value, C_prev: Value, *, forget_bias: float) -> tuple[str, str]:
    i, f, o, j = g.nodes_of("Split", 4, X, axis=1, num_outputs=4)
    forget = g.node("Sigmoid", g.node("Add", f, g.number(forget_bias, X)))
    new = g.node("Mul", g.node("Sigmoid", i), g.node("Tanh", j))
    cell = g.node("Add", new, g.node("Mul", forget, C_prev))
    return cell, g.node("Mul", g.node("Tanh", cell), g.node("Sigmoid", o))


@maps("gru_unit")
def gru_unit(
    g: Graph, Input: Value, HiddenPrev: Value, Weight: Value, Bias: Value | None, *, activation: int,
    gate_activation: int, origin_mode: bool,
) -> tuple[None, None, str]:  # fmt: skip
    def active(name: str | None, x: str) -> str:
        return x if name is None else g.node(name, x)

    size = Weight.shape[0]
    flat = g.reshape(Weight, -1)
    of_gates = g.reshape(g.node("Slice", flat, g.ints(0), g.ints(2 * size * size)), size, 2 * size)
    of_candidate = g.reshape(g.node("Slice", flat, g.ints(2 * size * size), g.ints(3 * size * size)), size, size)
    parts = Input.name if Bias is None else g.node("Add", Input, g.reshape(Bias, 1, -1))
    part, last = g.nodes_of("Split", 2, parts, g.ints(2 * size, size), axis=1)
    gates = active(OF_NUMBER[gate_activation], g.node("Add", part, g.node("MatMul", HiddenPrev, of_gates)))
    u, r = g.nodes_of("Split", 2, gates, axis=1, num_outputs=2)
    product = g.node("MatMul", g.node("Mul", r, HiddenPrev), of_candidate)
    c = active(OF_NUMBER[activation], g.node("Add", last, product))
    start, end = (c, HiddenPrev.name) if origin_mode else (HiddenPrev.name, c)
    return None, None, g.node("Add", start, g.node("Mul", u, g.node("Sub", end, start)))
