"""basic_gru and basic_lstm: layers of cells over padded sequences, one way or both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.core import mode
from refluid.core.errors import ArgumentError
from refluid.layers.dropout import dropout
from refluid.layers.rnn.cells import Activation, GRUCell, LSTMCell, RNNCell, own_attr
from refluid.layers.rnn.unroll import choose, rnn
from refluid.layers.sequence import sequence_mask
from refluid.layers.shape import concat, reshape, shape, stack, transpose


def basic_gru(
    input: Any,
    init_hidden: Any,
    hidden_size: int,
    num_layers: int = 1,
    sequence_length: Any = None,
    dropout_prob: float = 0.0,
    bidirectional: bool = False,
    batch_first: bool = True,
    param_attr: Any = None,
    bias_attr: Any = None,
    gate_activation: Activation | None = None,
    activation: Activation | None = None,
    dtype: Any = "float32",
    name: str = "basic_gru",
) -> tuple[Any, Any]:
    """Layers of GRUCells; see basic_lstm for arguments and results, of which those about cells are missing."""

    def cell(layer: str, weights: Any, biases: Any) -> RNNCell:
        return GRUCell(hidden_size, weights, biases, gate_activation, activation, dtype, layer)

    network = _Network("basic_gru", cell, 1, num_layers, hidden_size, dropout_prob, param_attr, bias_attr, name)
    out, (hidden,) = network.run(input, [init_hidden], sequence_length, bidirectional, batch_first)
    return out, hidden


def basic_lstm(
    input: Any,
    init_hidden: Any,
    init_cell: Any,
    hidden_size: int,
    num_layers: int = 1,
    sequence_length: Any = None,
    dropout_prob: float = 0.0,
    bidirectional: bool = False,
    batch_first: bool = True,
    param_attr: Any = None,
    bias_attr: Any = None,
    gate_activation: Activation | None = None,
    activation: Activation | None = None,
    forget_bias: float = 1.0,
    dtype: Any = "float32",
    name: str = "basic_lstm",
) -> tuple[Any, Any, Any]:
    """Layers of LSTMCells over padded sequences.

    Args:
        input: [N, T, D] ([T, N, D] unless batch_first).
        init_hidden, init_cell: [num_layers * directions, N, hidden_size]; zeros if None.
        sequence_length: ints [N]: a sequence stays as it is after its end.
        dropout_prob: of what every layer gives.
        bidirectional: a second network reads backwards; its results stand behind those of the first.
        param_attr, bias_attr: a name gets "_fw_w_<layer>", "_bw_b_<layer>", ... behind it.
    Returns:
        (outputs [N, T, hidden_size * directions], last hidden and last cell [num_layers * directions, N, hidden_size]).
    """

    def cell(layer: str, weights: Any, biases: Any) -> RNNCell:
        return LSTMCell(hidden_size, weights, biases, gate_activation, activation, forget_bias, dtype, layer)

    network = _Network("basic_lstm", cell, 2, num_layers, hidden_size, dropout_prob, param_attr, bias_attr, name)
    out, (hidden, last) = network.run(input, [init_hidden, init_cell], sequence_length, bidirectional, batch_first)
    return out, hidden, last


class _Layers(RNNCell):
    """Cells on top of one another; its inputs are [x] or [x, mask], its states those of all cells in one list."""

    def __init__(self, cells: list[Any], kinds: int, dropout_prob: float):
        self._cells, self._kinds, self._dropout = cells, kinds, dropout_prob

    def call(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        x, *mask = inputs
        after = []
        for number, cell in enumerate(self._cells):
            before = states[number * self._kinds : (number + 1) * self._kinds]
            _, new = cell(x, before if self._kinds > 1 else before[0])
            found = new if self._kinds > 1 else [new]
            if mask:
                found = [choose(mask[0], one, old) for one, old in zip(found, before, strict=True)]
            after += found
            x = found[0]
            if self._dropout:
                x = dropout(x, self._dropout, dropout_implementation="upscale_in_train")
        return x, after

    @property
    def state_shape(self) -> list[Any]:
        shapes = []
        for cell in self._cells:
            shapes += cell.state_shape if self._kinds > 1 else [cell.state_shape]
        return shapes


class _Network:
    def __init__(
        self,
        function: str,
        cell: Callable[[str, Any, Any], RNNCell],
        kinds: int,
        layers: int,
        size: int,
        dropout_prob: float,
        weights: Any,
        biases: Any,
        name: str,
    ):
        if not isinstance(layers, int) or layers < 1:
            raise ArgumentError(f"{function}: num_layers must be an int of at least 1, got {layers!r}")
        self.cell, self.kinds, self.layers, self.size = cell, kinds, layers, size
        self.dropout, self.weights, self.biases, self.name = dropout_prob, weights, biases, name

    def run(self, x: Any, initial: list[Any], lengths: Any, both: bool, batch_first: bool) -> tuple[Any, list[Any]]:
        ways = [self._layers("_layers_", "fw"), *([self._layers("_reverse_layers_", "bw")] if both else [])]
        x = transpose(x, [1, 0, 2]) if batch_first else x
        inputs = [x]
        if lengths is not None:
            steps = x.shape[0] if mode.current.imperative else shape(x)[0]
            inputs.append(transpose(sequence_mask(lengths, maxlen=steps, dtype="float32"), [1, 0]))
        given = None
        if all(one is not None for one in initial):
            given = [reshape(one, [self.layers, len(ways), -1, self.size]) for one in initial]
        outs, lasts = [], []
        for number, cells in enumerate(ways):
            states = None
            if given is not None:
                states = [one[layer, number] for layer in range(self.layers) for one in given]
            out, last = rnn(cells, inputs, states, time_major=True, is_reverse=bool(number))
            outs.append(out)
            lasts.append(last)
        out = concat(outs, 2) if both else outs[0]
        # Of every layer that which reads forwards, then that which reads backwards.
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
