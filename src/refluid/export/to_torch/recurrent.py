"""Recurrent units, over sequences and for one step."""

from __future__ import annotations

from refluid.export.mapping import Ragged, Value, need_lod
from refluid.export.to_torch import helpers
from refluid.export.to_torch.writer import Writer, call, literal, maps

FUNCTIONS = {"sigmoid": "torch.sigmoid", "tanh": "torch.tanh", "relu": "torch.relu", "identity": "torch.clone"}
OF_NUMBER = ["identity", "sigmoid", "tanh", "relu"]  # how gru_unit writes them


@maps("lstm")
def lstm(
    w: Writer,
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
    op,
) -> tuple[Ragged, Ragged]:
    names = [gate_activation, candidate_activation, cell_activation]
    lengths = need_lod(Input, "Input")
    if w.for_cpp:
        expression = call("torch.ops.refluid.lstm", Input, lengths, Weight, Bias, *map(literal, names), use_peepholes,
                          is_reverse, H0, C0)  # fmt: skip
    else:
        expression = call(w.use(helpers.lstm), Input, lengths, Weight, Bias, *(FUNCTIONS[one] for one in names),
                          peepholes=use_peepholes, reverse=is_reverse, h0=H0, c0=C0)  # fmt: skip
    hidden, cell = w.several(expression, "Hidden", "Cell")
    return Ragged(hidden, Input.lod), Ragged(cell, Input.lod)


@maps("gru")
def gru(
    w: Writer,
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
    lengths = need_lod(Input, "Input")
    x, names = _with_bias(Input, Bias), [gate_activation, activation]
    if w.for_cpp:
        out = call("torch.ops.refluid.gru", x, lengths, Weight, *map(literal, names), origin_mode, is_reverse, H0)
    else:
        out = call(w.use(helpers.gru), x, lengths, Weight, *(FUNCTIONS[one] for one in names), origin_mode,
                   reverse=is_reverse, h0=H0)  # fmt: skip
    return None, None, None, Ragged(out, Input.lod)


@maps("gru_unit")
def gru_unit(
    w: Writer, Input: Value, HiddenPrev: Value, Weight: Value, Bias: Value | None, *, activation: int,
    gate_activation: int, origin_mode: bool,
) -> tuple[None, None, str]:  # fmt: skip
    gate, candidate = (FUNCTIONS[OF_NUMBER[one]] for one in (gate_activation, activation))
    step = call(w.use(helpers.gru_step), _with_bias(Input, Bias), HiddenPrev, Weight, gate, candidate, origin_mode)
    return None, None, step


def _with_bias(Input: Value, Bias: Value | None) -> str:
    return Input.name if Bias is None else f"{Input} + {Bias}.reshape(-1)"


@maps("lstm_unit")
def lstm_unit(w: Writer, X: Value, C_prev: Value, *, forget_bias: float) -> tuple:
    return w.several(call(w.use(helpers.lstm_step), X, C_prev, literal(forget_bias)), "C", "H")
