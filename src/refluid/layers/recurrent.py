"""Recurrent layers over sequences and single steps of them: LSTM and GRU."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import FixedNames, LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable, positive
from refluid.layers.fc import fc
from refluid.layers.shape import concat
from refluid.ops.sequence.cudnn_lstm import cudnn_lstm, weight_count
from refluid.ops.sequence.gates import ACTIVATIONS, NUMBERS
from refluid.ops.sequence.gru import gru
from refluid.ops.sequence.gru_unit import gru_unit as gru_unit_op
from refluid.ops.sequence.lstm import lstm as lstm_op
from refluid.ops.sequence.lstm_unit import lstm_unit as lstm_unit_op
from refluid.ops.sequence.lstmp import lstmp
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter
from refluid.params.initializer import Initializer


def dynamic_lstm(
    input: BaseVariable,
    size: int,
    h_0: BaseVariable | None = None,
    c_0: BaseVariable | None = None,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
    dtype: Dtype = "float32",
    name: str | None = None,
) -> tuple[BaseVariable, BaseVariable]:
    """Long short-term memory along sequences (Hochreiter and Schmidhuber, 1997).

    i, f, o = gate(x + h @ W + b), with peepholes from the cell; c = f * c + i * candidate(x + h @ W + b);
    h = o * cell_activation(c).

    Args:
        input: a float LoDTensor [total length, 4 * D]: the projected steps for candidate, input, forget and output
            gate.
        size: 4 * D.
        h_0: the initial hidden state, float [number of sequences, D]; None for zeros. With c_0 or not at all.
        c_0: the initial cell state, likewise.
        param_attr: settings of the weight [D, 4 * D].
        bias_attr: settings of the bias [1, 4 * D], or [1, 7 * D] with peepholes.
        use_peepholes: the gates also read the cell state.
        is_reverse: from the last step to the first.
        gate_activation: "sigmoid", "tanh", "relu" or "identity".
        cell_activation: the activation of the cell state, one of these.
        candidate_activation: the activation of the candidate, one of these.
        dtype: the dtype of the parameters.

    Returns:
        (hidden states, cell states), LoDTensors [total length, D].

    Example:
        >>> words = fluid.data("words", [None, 16], lod_level=1)
        >>> projected = fluid.layers.fc(words, size=4 * 32)
        >>> hidden, cell = fluid.layers.dynamic_lstm(projected, size=4 * 32)
        >>> hidden.shape
        (-1, 32)
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
    input: BaseVariable,
    size: int,
    proj_size: int,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
    proj_activation: str = "tanh",
    dtype: Dtype = "float32",
    name: str | None = None,
    h_0: BaseVariable | None = None,
    c_0: BaseVariable | None = None,
    cell_clip: float | None = None,
    proj_clip: float | None = None,
) -> tuple[BaseVariable, BaseVariable]:
    """Long short-term memory with a projection of the hidden state to proj_size features (Sak et al., 2014).

    Args:
        input: a float LoDTensor [total length, 4 * D]: the projected steps for candidate, input, forget and output
            gate.
        size: 4 * D.
        proj_size: the width P of the projected hidden state.
        param_attr: settings of the weights [P, 4 * D] and [D, P].
        bias_attr: settings of the bias [1, 4 * D], or [1, 7 * D] with peepholes.
        use_peepholes: the gates also read the cell state.
        is_reverse: from the last step to the first.
        gate_activation: "sigmoid", "tanh", "relu" or "identity".
        cell_activation: the activation of the cell state, one of these.
        candidate_activation: the activation of the candidate, one of these.
        proj_activation: the activation of the projection, one of these.
        dtype: the dtype of the parameters.
        h_0: the initial projected state, float [number of sequences, P]; None for zeros. With c_0 or not at all.
        c_0: the initial cell state, float [number of sequences, D].
        cell_clip: the cell state is clipped to [-cell_clip, cell_clip]; None for no clipping.
        proj_clip: the projection, likewise.

    Returns:
        (projected hidden states [total length, P], cell states [total length, D]), LoDTensors.
    """
    width = _part("dynamic_lstmp", "size", size, 4, bias_attr)
    _both_or_none("dynamic_lstmp", h_0, c_0)
    attrs = _activations(
        "dynamic_lstmp", gate_activation=gate_activation, cell_activation=cell_activation,
        candidate_activation=candidate_activation, proj_activation=proj_activation,
    )  # fmt: skip
    clips: dict[str, Any] = {
        key: float(value) for key, value in (("cell_clip", cell_clip), ("proj_clip", proj_clip)) if value
    }
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
    input: BaseVariable,
    size: int,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    is_reverse: bool = False,
    gate_activation: str = "sigmoid",
    candidate_activation: str = "tanh",
    h_0: BaseVariable | None = None,
    origin_mode: bool = False,
) -> BaseVariable:
    """Gated recurrent units along sequences (Chung et al., 2014).

    u, r = gate(x + h @ W + b); c = candidate(x + (r * h) @ V + b); h = (1 - u) * h + u * c.

    Args:
        input: a float LoDTensor [total length, 3 * size]: the projected steps for update gate, reset gate and
            candidate.
        size: the width of the hidden state.
        param_attr: settings of the weight [size, 3 * size].
        bias_attr: settings of the bias [1, 3 * size]; False for no bias.
        is_reverse: from the last step to the first.
        gate_activation: "sigmoid", "tanh", "relu" or "identity".
        candidate_activation: the activation of the candidate, one of these.
        h_0: the initial hidden state, float [number of sequences, size]; None for zeros.
        origin_mode: h = u * h + (1 - u) * c, as Cho et al. (2014) have it.

    Returns:
        The hidden states, a LoDTensor [total length, size].

    Example:
        >>> words = fluid.data("words", [None, 16], lod_level=1)
        >>> projected = fluid.layers.fc(words, size=3 * 32)
        >>> fluid.layers.dynamic_gru(projected, size=32).shape
        (-1, 32)
    """
    need_variable("dynamic_gru: input", input)
    attrs = _activations("dynamic_gru", gate_activation=gate_activation, activation=candidate_activation)
    layer = LayerName("gru")
    weight = make_parameter(param_attr, [size, 3 * size], input.dtype, layer=layer)
    bias = make_parameter(bias_attr, [1, 3 * size], input.dtype, is_bias=True, layer=layer)
    _, _, _, hidden = gru(input, h_0, weight, bias, name=layer, is_reverse=is_reverse, origin_mode=origin_mode, **attrs)
    return hidden


def gru_unit(
    input: BaseVariable,
    hidden: BaseVariable,
    size: int,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    activation: str = "tanh",
    gate_activation: str = "sigmoid",
    origin_mode: bool = False,
) -> tuple[BaseVariable, BaseVariable, BaseVariable]:
    """One step of a gated recurrent unit; dynamic_gru has the formula.

    Args:
        input: a float variable [N, size]: the projected step for update gate, reset gate and candidate.
        hidden: the hidden state of the step before, float [N, size / 3].
        size: three times the width of the hidden state.
        param_attr: settings of the weight [size / 3, size].
        bias_attr: settings of the bias [1, size]; False for no bias.
        activation: of the candidate: "sigmoid", "tanh", "relu" or "identity".
        gate_activation: one of these.
        origin_mode: h = u * h + (1 - u) * c, as Cho et al. (2014) have it.

    Returns:
        (hidden state [N, size / 3], reset hidden state [N, size / 3], gates [N, size]).

    Example:
        >>> x, h = fluid.data("x", [None, 96]), fluid.data("h", [None, 32])
        >>> fluid.layers.gru_unit(x, h, size=96)[0].shape
        (-1, 32)
    """
    need_variable("gru_unit: input", input)
    width = _part("gru_unit", "size", size, 3)
    named = _activations("gru_unit", activation=activation, gate_activation=gate_activation)
    attrs: dict[str, Any] = {key: NUMBERS[value] for key, value in named.items()}
    layer = LayerName("gru_unit")
    weight = make_parameter(param_attr, [width, size], input.dtype, layer=layer)
    bias = make_parameter(bias_attr, [1, size], input.dtype, is_bias=True, layer=layer)
    gate, reset, updated = gru_unit_op(
        input, hidden, weight, bias, name=layer, origin_mode=origin_mode,
        **attrs,
    )  # fmt: skip
    return updated, reset, gate


def lstm_unit(
    x_t: BaseVariable,
    hidden_t_prev: BaseVariable,
    cell_t_prev: BaseVariable,
    forget_bias: float = 0.0,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    name: str | None = None,
) -> tuple[BaseVariable, BaseVariable]:
    """One step of a long short-term memory: fc of the step and the previous hidden state, then the gates.

    Args:
        x_t: the step, a float variable [N, M].
        hidden_t_prev: the hidden state of the step before, float [N, D].
        cell_t_prev: the cell state of the step before, float [N, D].
        forget_bias: added to the forget gate.
        param_attr: settings of the weight [M + D, 4 * D].
        bias_attr: settings of the bias [4 * D]; False for no bias.

    Returns:
        (hidden state, cell state), both [N, D].
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
    input: BaseVariable,
    init_h: BaseVariable,
    init_c: BaseVariable,
    max_len: int,
    hidden_size: int,
    num_layers: int,
    dropout_prob: float = 0.0,
    is_bidirec: bool = False,
    is_test: bool = False,
    name: str | None = None,
    default_initializer: Initializer | None = None,
    seed: int = -1,
) -> tuple[BaseVariable, BaseVariable, BaseVariable]:
    """Stacked long short-term memory over padded sequences, on any device. (In Fluid on GPUs alone.)

    Args:
        input: a float variable [length, N, D].
        init_h: the initial hidden states, float [num_layers * directions, N, hidden_size].
        init_c: the initial cell states, likewise.
        max_len: accepted; the length is that of input.
        hidden_size: the width of the states.
        num_layers: the number of layers.
        dropout_prob: the dropout probability between layers.
        is_bidirec: two directions instead of one.
        is_test: no dropout.
        default_initializer: initializes the parameter, in which all weights and biases are joined.
        seed: the seed of the dropout; -1 or 0 for the program's random_seed.

    Returns:
        (hidden states of the last layer [length, N, directions * hidden_size], last hidden states, last cell states).
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


def _part(what: str, argument: str, size: int, parts: int, bias_attr: AttrLike = None) -> int:
    if bias_attr is False:
        raise ArgumentError(f"{what}: bias_attr must not be False; it has a bias")
    size = positive(f"{what}: {argument}", size)
    if size % parts:
        raise ArgumentError(f"{what}: {argument} must be a positive multiple of {parts}, got {size!r}")
    return size // parts


def _both_or_none(what: str, h_0: BaseVariable | None, c_0: BaseVariable | None) -> None:
    if (h_0 is None) != (c_0 is None):
        raise ArgumentError(f"{what}: h_0 and c_0 go together")


def _activations(what: str, **names: str) -> dict[str, Any]:
    for argument, name in names.items():
        if name not in ACTIVATIONS:
            known = ", ".join(map(repr, ACTIVATIONS))
            raise ArgumentError(f"{what}: {argument} must be one of {known}, got {name!r}")
    return names
