"""basic_gru and basic_lstm: stacked cells over padded sequences, in one or both directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.control_flow.nest import Structure
from refluid.layers.dropout import dropout
from refluid.layers.rnn.cells import Activation, GRUCell, LSTMCell, RNNCell, own_attr
from refluid.layers.rnn.unroll import choose, rnn, step_count
from refluid.layers.sequence import sequence_mask
from refluid.layers.shape import concat, reshape, stack, transpose
from refluid.params.attr import AttrLike


def basic_gru(
    input: BaseVariable,
    init_hidden: BaseVariable | None,
    hidden_size: int,
    num_layers: int = 1,
    sequence_length: BaseVariable | None = None,
    dropout_prob: float = 0.0,
    bidirectional: bool = False,
    batch_first: bool = True,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    gate_activation: Activation | None = None,
    activation: Activation | None = None,
    dtype: Dtype = "float32",
    name: str = "basic_gru",
) -> tuple[BaseVariable, BaseVariable]:
    """Stacked GRUCells over padded sequences.

    Args:
        input: a float variable [N, T, D], or [T, N, D] unless batch_first.
        init_hidden: the initial states [num_layers * directions, N, hidden_size]; None for zeros.
        hidden_size: the width of the states.
        num_layers: the number of layers.
        sequence_length: int [N]; the state of a sequence stays as it is after its end. None for T.
        dropout_prob: the dropout probability of the outputs of every layer.
        bidirectional: a second network runs from the last step to the first; its outputs are joined to those of the
            first.
        batch_first: the axes of input and outputs are [N, T, ...].
        param_attr: settings of the weights; "_fw_w_<layer>" or "_bw_w_<layer>" is appended to a name.
        bias_attr: settings of the biases; "_fw_b_<layer>" or "_bw_b_<layer>" is appended to a name.
        gate_activation: a layer function; None for sigmoid.
        activation: a layer function; None for tanh.
        dtype: the dtype of the parameters.
        name: what the names of the parameters begin with.

    Returns:
        (outputs [N, T, hidden_size * directions], last states [num_layers * directions, N, hidden_size]).
    """

    def cell(layer: str, weights: AttrLike, biases: AttrLike) -> RNNCell:
        return GRUCell(hidden_size, weights, biases, gate_activation, activation, dtype, layer)

    network = _Network("basic_gru", cell, 1, num_layers, hidden_size, dropout_prob, param_attr, bias_attr, name)
    out, (hidden,) = network.run(input, [init_hidden], sequence_length, bidirectional, batch_first)
    return out, hidden


def basic_lstm(
    input: BaseVariable,
    init_hidden: BaseVariable | None,
    init_cell: BaseVariable | None,
    hidden_size: int,
    num_layers: int = 1,
    sequence_length: BaseVariable | None = None,
    dropout_prob: float = 0.0,
    bidirectional: bool = False,
    batch_first: bool = True,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    gate_activation: Activation | None = None,
    activation: Activation | None = None,
    forget_bias: float = 1.0,
    dtype: Dtype = "float32",
    name: str = "basic_lstm",
) -> tuple[BaseVariable, BaseVariable, BaseVariable]:
    """Stacked LSTMCells over padded sequences.

    Args:
        input: a float variable [N, T, D], or [T, N, D] unless batch_first.
        init_hidden: the initial hidden states [num_layers * directions, N, hidden_size]; None for zeros.
        init_cell: the initial cell states, likewise.
        hidden_size: the width of the states.
        num_layers: the number of layers.
        sequence_length: int [N]; the states of a sequence stay as they are after its end. None for T.
        dropout_prob: the dropout probability of the outputs of every layer.
        bidirectional: a second network runs from the last step to the first; its outputs are joined to those of the
            first.
        batch_first: the axes of input and outputs are [N, T, ...].
        param_attr: settings of the weights; "_fw_w_<layer>" or "_bw_w_<layer>" is appended to a name.
        bias_attr: settings of the biases; "_fw_b_<layer>" or "_bw_b_<layer>" is appended to a name.
        gate_activation: a layer function; None for sigmoid.
        activation: a layer function; None for tanh.
        forget_bias: added to the forget gates.
        dtype: the dtype of the parameters.
        name: what the names of the parameters begin with.

    Returns:
        (outputs [N, T, hidden_size * directions], last hidden states and last cell states
        [num_layers * directions, N, hidden_size]).
    """

    def cell(layer: str, weights: AttrLike, biases: AttrLike) -> RNNCell:
        return LSTMCell(hidden_size, weights, biases, gate_activation, activation, forget_bias, dtype, layer)

    network = _Network("basic_lstm", cell, 2, num_layers, hidden_size, dropout_prob, param_attr, bias_attr, name)
    out, (hidden, last) = network.run(input, [init_hidden, init_cell], sequence_length, bidirectional, batch_first)
    return out, hidden, last


class _Layers(RNNCell):
    """Stacked cells; the inputs are [x] or [x, mask], the states those of all cells in one list."""

    def __init__(self, cells: list[Any], kinds: int, dropout_prob: float):
        self._cells, self._kinds, self._dropout = cells, kinds, dropout_prob

    def call(self, inputs: Structure, states: Structure) -> tuple[BaseVariable, list[BaseVariable]]:  # type: ignore[override]
        x, *mask = inputs
        all_states: list[Any] = []
        for number, cell in enumerate(self._cells):
            before = states[number * self._kinds : (number + 1) * self._kinds]
            _, new = cell(x, before if self._kinds > 1 else before[0])
            states_after = new if self._kinds > 1 else [new]
            if mask:
                states_after = [
                    choose(mask[0], new_state, old_state)
                    for new_state, old_state in zip(states_after, before, strict=True)
                ]
            all_states += states_after
            x = states_after[0]
            if self._dropout:
                x = dropout(x, self._dropout, dropout_implementation="upscale_in_train")
        return x, all_states

    @property
    def state_shape(self) -> list[Any]:
        shapes: list[Any] = []
        for cell in self._cells:
            shapes += cell.state_shape if self._kinds > 1 else [cell.state_shape]
        return shapes


class _Network:
    def __init__(
        self,
        function: str,
        cell: Callable[[str, AttrLike, AttrLike], RNNCell],
        kinds: int,
        layers: int,
        size: int,
        dropout_prob: float,
        weights: AttrLike,
        biases: AttrLike,
        name: str,
    ):
        if not isinstance(layers, int) or layers < 1:
            raise ArgumentError(f"{function}: num_layers must be an int of at least 1, got {layers!r}")
        self.cell, self.kinds, self.layers, self.size = cell, kinds, layers, size
        self.dropout, self.weights, self.biases, self.name = dropout_prob, weights, biases, name

    def run(
        self, x: BaseVariable, initial: list[Any], lengths: BaseVariable | None, both: bool, batch_first: bool
    ) -> tuple[BaseVariable, list[BaseVariable]]:
        ways = [self._layers("_layers_", "fw"), *([self._layers("_reverse_layers_", "bw")] if both else [])]
        x = transpose(x, [1, 0, 2]) if batch_first else x
        inputs = [x]
        if lengths is not None:
            inputs.append(transpose(sequence_mask(lengths, maxlen=step_count(x), dtype="float32"), [1, 0]))
        split_states = None
        if all(state is not None for state in initial):
            split_states = [reshape(state, [self.layers, len(ways), -1, self.size]) for state in initial]
        outs, lasts = [], []
        for number, cells in enumerate(ways):
            states = None
            if split_states is not None:
                states = [state[layer, number] for layer in range(self.layers) for state in split_states]
            out, last = rnn(cells, inputs, states, time_major=True, is_reverse=bool(number))
            outs.append(out)
            lasts.append(last)
        out = concat(outs, 2) if both else outs[0]
        # Per layer the forward direction, then the backward one.
        ends = [
            stack([last[layer * self.kinds + kind] for layer in range(self.layers) for last in lasts], axis=0)
            for kind in range(self.kinds)
        ]
        return transpose(out, [1, 0, 2]) if batch_first else out, ends

    def _layers(self, suffix: str, way: str) -> _Layers:
        cells = [
            self.cell(
                f"{self.name}{suffix}{number}",
                own_attr(self.weights, f"_{way}_w_{number}"),
                own_attr(self.biases, f"_{way}_b_{number}"),
            )
            for number in range(self.layers)
        ]
        return _Layers(cells, self.kinds, self.dropout)
