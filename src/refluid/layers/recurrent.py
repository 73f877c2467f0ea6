"""Recurrent layers over sequences and single steps of them: LSTM and GRU."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import FixedNames, LayerName
from refluid.layers.fc import fc
from refluid.layers.numbers import need_variable, positive
from refluid.layers.shape import concat
from refluid.ops.sequence.cudnn_lstm import cudnn_lstm, weight_count
from refluid.ops.sequence.gates import ACTIVATIONS
from refluid.ops.sequence.gru import gru
from refluid.ops.sequence.gru_unit import NUMBERS, gru_unit as gru_unit_op
from refluid.ops.sequence.lstm import lstm as lstm_op
from refluid.ops.sequence.lstm_unit import lstm_unit as lstm_unit_op
from refluid.ops.sequence.lstmp import lstmp
from refluid.params.create import make_parameter


def dynamic_lstm(
    input: Any,
    size: int,
    h_0: Any = None,
    c_0: Any = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
    dtype: Any = "float32",
    name: str | None = None,
) -> Any:
    """Long short-term memory along sequences (Hochreiter and Schmidhuber, 1997).

    Args:
        input: a LoDTensor [total length, 4D]: what fc makes of the steps, for candidate, input, forget and output gate.
        size: 4D.
        h_0, c_0: hidden and cell values before the first step, [number of sequences, D]; both or none.
        use_peepholes: the gates also see the cell.
        is_reverse: go from the last step to the first.
        gate_activation, cell_activation, candidate_activation: "sigmoid", "tanh", "relu" or "identity".
    Returns:
        (hidden values, cell values), LoDTensors [total length, D].
    """
    width = _part("dynamic_lstm", "size", size, 4, bias_attr)
    _both_or_none("dynamic_lstm", h_0, c_0)
    attrs = _activations("dynamic_lstm", gate_activation=gate_activation, cell_activation=cell_activation,
                         candidate_activation=candidate_activation)  # fmt: skip
    layer = LayerName("lstm", name)
    weight = make_parameter(param_attr, [width, size], dtype, layer=layer)
    bias = make_parameter(bias_attr, [1, (7 if use_peepholes else 4) * width], dtype, is_bias=True, layer=layer)
    hidden, cell, _, _ = lstm_op(
        input, h_0, c_0, weight, bias, name=layer, use_peepholes=use_peepholes, is_reverse=is_reverse, **attrs
    )
    return hidden, cell


def dynamic_lstmp(
    input: Any,
    size: int,
    proj_size: int,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
    proj_activation: str = "tanh",
    dtype: Any = "float32",
    name: str | None = None,
    h_0: Any = None,
    c_0: Any = None,
    cell_clip: float | None = None,
    proj_clip: float | None = None,
) -> Any:
    """dynamic_lstm whose hidden values are projected to proj_size numbers (Sak et al., 2014).

    Args:
        h_0: projected values before the first step, [number of sequences, proj_size].
        cell_clip, proj_clip: cells and projections beyond these are cut.
    Returns:
        (projected hidden values [total length, proj_size], cell values [total length, D]).
    """
    width = _part("dynamic_lstmp", "size", size, 4, bias_attr)
    _both_or_none("dynamic_lstmp", h_0, c_0)
    attrs = _activations(
        "dynamic_lstmp", gate_activation=gate_activation, cell_activation=cell_activation,
        candidate_activation=candidate_activation, proj_activation=proj_activation,
    )  # fmt: skip
    clips = {key: float(value) for key, value in (("cell_clip", cell_clip), ("proj_clip", proj_clip)) if value}
    layer = LayerName("lstmp", name)
    weight = make_parameter(param_attr, [proj_size, size], dtype, layer=layer)
    projection = make_parameter(param_attr, [width, proj_size], dtype, layer=layer)
    bias = make_parameter(bias_attr, [1, (7 if use_peepholes else 4) * width], dtype, is_bias=True, layer=layer)
    names = [layer.tmp() for _ in range(6)]
    del names[2]  # Fluid makes a variable here that no operator writes
    projected, cell, _, _, _ = lstmp(
        input, h_0, c_0, weight, projection, bias, name=FixedNames(*names), use_peepholes=use_peepholes,
        is_reverse=is_reverse, **attrs, **clips,
    )  # fmt: skip
    return projected, cell


def dynamic_gru(
    input: Any,
    size: int,
    param_attr: Any = None,
    bias_attr: Any = None,
    is_reverse: bool = False,
    gate_activation: str = "sigmoid",
    candidate_activation: str = "tanh",
    h_0: Any = None,
    origin_mode: bool = False,
) -> Any:
    """Gated recurrent units along sequences (Chung et al., 2014; with origin_mode Cho et al., 2014).

    Args:
        input: a LoDTensor [total length, 3 * size]: what fc makes of the steps, for update, reset and candidate.
        size: the width of the hidden values.
        h_0: hidden values before the first step, [number of sequences, size].
        is_reverse: go from the last step to the first.
    Returns:
        A LoDTensor [total length, size].
    """
    need_variable("dynamic_gru: input", input)
    attrs = _activations("dynamic_gru", gate_activation=gate_activation, activation=candidate_activation)
    layer = LayerName("gru")
    weight = make_parameter(param_attr, [size, 3 * size], input.dtype, layer=layer)
    bias = make_parameter(bias_attr, [1, 3 * size], input.dtype, is_bias=True, layer=layer)
    _, _, _, hidden = gru(input, h_0, weight, bias, name=layer, is_reverse=is_reverse, origin_mode=origin_mode, **attrs)
    return hidden


def gru_unit(
    input: Any,
    hidden: Any,
    size: int,
    param_attr: Any = None,
    bias_attr: Any = None,
    activation: str = "tanh",
    gate_activation: str = "sigmoid",
    origin_mode: bool = False,
) -> Any:
    """One step of a gated recurrent unit.

    Args:
        input: [N, size], what fc makes of the step; hidden: [N, size / 3], of the step before.
        size: three times the width of the hidden values.
    Returns:
        (hidden values [N, size / 3], the reset ones of the step before, the gates [N, size]).
    """
    need_variable("gru_unit: input", input)
    width = _part("gru_unit", "size", size, 3)
    attrs = _activations("gru_unit", activation=activation, gate_activation=gate_activation)
    layer = LayerName("gru_unit")
    weight = make_parameter(param_attr, [width, size], input.dtype, layer=layer)
    bias = make_parameter(bias_attr, [1, size], input.dtype, is_bias=True, layer=layer)
    gate, reset, updated = gru_unit_op(
        input, hidden, weight, bias, name=layer, origin_mode=origin_mode,
        **{key: NUMBERS[value] for key, value in attrs.items()},
    )  # fmt: skip
    return updated, reset, gate


def lstm_unit(
    x_t: Any,
    hidden_t_prev: Any,
    cell_t_prev: Any,
    forget_bias: float = 0.0,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Any:
    """One step of a long short-term memory: fc of the step and the hidden values before it, then the gates.

    Args:
        x_t: [N, M]; hidden_t_prev, cell_t_prev: [N, D].
        forget_bias: added to the forget gate.
    Returns:
        (hidden values, cell values), both [N, D].
    """
    for what, value in (("x_t", x_t), ("hidden_t_prev", hidden_t_prev), ("cell_t_prev", cell_t_prev)):
        need_variable(f"lstm_unit: {what}", value)
        if len(value.shape) != 2:
            raise ArgumentError(f"lstm_unit: {what} must have 2 axes, got {list(value.shape)}")
    if hidden_t_prev.shape[1] != cell_t_prev.shape[1]:
        raise ArgumentError(
            f"lstm_unit: hidden_t_prev has {hidden_t_prev.shape[1]} columns, but cell_t_prev {cell_t_prev.shape[1]}"
        )
    layer = LayerName("lstm_unit", name)
    both = concat([x_t, hidden_t_prev], axis=1)
    gates = fc(both, 4 * cell_t_prev.shape[1], param_attr=param_attr, bias_attr=bias_attr)
    cell, hidden = lstm_unit_op(gates, cell_t_prev, name=layer, forget_bias=float(forget_bias))
    return hidden, cell


def lstm(
    input: Any,
    init_h: Any,
    init_c: Any,
    max_len: int,
    hidden_size: int,
    num_layers: int,
    dropout_prob: float = 0.0,
    is_bidirec: bool = False,
    is_test: bool = False,
    name: str | None = None,
    default_initializer: Any = None,
    seed: int = -1,
) -> Any:
    """Several layers of long short-term memory over padded sequences; on any device. (In Fluid on GPUs alone.)

    Args:
        input: [length, N, width].
        init_h, init_c: [num_layers * directions, N, hidden_size].
        max_len: accepted; the length is that of the input.
        dropout_prob: while training, what one layer hands to the next is dropped with this probability.
        seed: of the drops; -1 or 0 for none.
    Returns:
        (hidden values of the last layer [length, N, directions * hidden_size], last hidden values, last cell values).
    """
    need_variable("lstm: input", input)
    if len(input.shape) != 3:
        raise ShapeError(f"lstm: input must be [length, N, width], got {list(input.shape)}")
    width, directions = input.shape[2], 2 if is_bidirec else 1
    layer = LayerName("cudnn_lstm", name)
    count = weight_count(width, hidden_size, num_layers, directions)
    weight = make_parameter(None, [count], input.dtype, layer=layer, default=default_initializer)
    out, last_h, last_c, *_ = cudnn_lstm(
        input, init_h, init_c, weight, name=layer, max_len=max_len, dropout_prob=dropout_prob, is_bidirec=is_bidirec,
        input_size=width, hidden_size=hidden_size, num_layers=num_layers, is_test=is_test, seed=max(seed, 0),
    )  # fmt: skip
    return out, last_h, last_c


def _part(what: str, argument: str, size: int, parts: int, bias_attr: Any = None) -> int:
    if bias_attr is False:
        raise ArgumentError(f"{what}: bias_attr must not be False; it has a bias")
    size = positive(f"{what}: {argument}", size)
    if size % parts:
        raise ArgumentError(f"{what}: {argument} must be a positive multiple of {parts}, got {size!r}")
    return size // parts


def _both_or_none(what: str, h_0: Any, c_0: Any) -> None:
    if (h_0 is None) != (c_0 is None):
        raise ArgumentError(f"{what}: h_0 and c_0 go together")


def _activations(what: str, **names: str) -> dict[str, str]:
    for argument, name in names.items():
        if name not in ACTIVATIONS:
            known = ", ".join(repr(one) for one in ACTIVATIONS)
            raise ArgumentError(f"{what}: {argument} must be one of {known}, got {name!r}")
    return names
