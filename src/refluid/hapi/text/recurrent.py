"""Recurrent networks: cells run over the steps of sequences, forwards, backwards and bidirectionally."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.types import Dtype
from refluid.hapi.text.cells import (
    CellMaker,
    RNNCell,
    StackedGRUCell,
    StackedLSTMCell,
    StackedRNNCell,
    gru_maker,
    lstm_maker,
)
from refluid.hapi.text.shared import dropped
from refluid.layers.control_flow.nest import Structure, outline
from refluid.layers.elementwise import elementwise_add, elementwise_mul
from refluid.layers.math import scale
from refluid.layers.rnn.cells import Activation
from refluid.layers.rnn.unroll import rnn
from refluid.layers.shape import concat
from refluid.nn.container import LayerList
from refluid.nn.layer import Layer
from refluid.params.attr import AttrLike

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class RNN(Layer):
    """Runs a cell over the steps of sequences.

    Args:
        cell: an RNNCell.
        is_reverse: from the last step to the first; outputs are in the order of the inputs all the same.
        time_major: inputs and outputs are [steps, batch, ...] in place of [batch, steps, ...].
    """

    def __init__(self, cell: RNNCell, is_reverse: bool = False, time_major: bool = False):
        super().__init__()
        if not isinstance(cell, RNNCell):
            raise DtypeError(f"{type(self).__name__}: cell must be an RNNCell, got {type(cell).__name__}")
        self.cell, self.is_reverse, self.time_major = cell, is_reverse, time_major
        self.batch_index, self.time_step_index = (1, 0) if time_major else (0, 1)

    def forward(
        self,
        inputs: BaseVariable,
        initial_states: Structure = None,
        sequence_length: BaseVariable | None = None,
        **kwargs: object,
    ) -> tuple[Any, Any]:
        """(outputs of all steps, states after the last).

        Args:
            initial_states: in the form of the cell's states; zeros by default.
            sequence_length: int64 [batch]: the states of a sequence do not change after its end.
            kwargs: go to the cell.
        """
        return rnn(self.cell, inputs, initial_states, sequence_length, self.time_major, self.is_reverse, **kwargs)


class LSTM(RNN):
    """`num_layers` layers of BasicLSTMCells; see RNN for how it is called."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        forget_bias: float = 1.0,
        num_layers: int = 1,
        dropout: float = 0.0,
        is_reverse: bool = False,
        time_major: bool = False,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        dtype: Dtype = "float32",
    ):
        cell = StackedLSTMCell(
            input_size, hidden_size, gate_activation, activation, forget_bias, num_layers, dropout, param_attr,
            bias_attr, dtype,
        )  # fmt: skip
        super().__init__(cell, is_reverse, time_major)


class GRU(RNN):
    """`num_layers` layers of BasicGRUCells; see RNN for how it is called."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        num_layers: int = 1,
        dropout: float = 0.0,
        is_reverse: bool = False,
        time_major: bool = False,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        dtype: Dtype = "float32",
    ):
        cell = StackedGRUCell(
            input_size, hidden_size, gate_activation, activation, num_layers, dropout, param_attr, bias_attr, dtype
        )
        super().__init__(cell, is_reverse, time_major)


class BidirectionalRNN(Layer):
    """Two cells, one from the first step to the last and one from the last to the first.

    Args:
        merge_mode: how their outputs become one: "concat", "sum", "ave", "mul", "zip" (both in a tuple), or a function.
    """

    def __init__(
        self, cell_fw: RNNCell, cell_bw: RNNCell, merge_mode: str | Callable = "concat", time_major: bool = False
    ):
        super().__init__()
        self.merge = _merger(merge_mode)
        self.rnn_fw, self.rnn_bw = RNN(cell_fw, False, time_major), RNN(cell_bw, True, time_major)

    def forward(
        self,
        inputs: BaseVariable,
        initial_states: Structure = None,
        sequence_length: BaseVariable | None = None,
        **kwargs: object,
    ) -> tuple[Any, Any]:
        """(merged outputs, (states forwards, states backwards)); initial_states are such a pair."""
        first, second = (None, None) if initial_states is None else _pair(self, initial_states)
        ahead, states_ahead = self.rnn_fw(inputs, first, sequence_length, **kwargs)
        back, states_back = self.rnn_bw(inputs, second, sequence_length, **kwargs)
        return self.merge(ahead, back), (states_ahead, states_back)


class _BidirectionalLayers(Layer):
    """Layers of cells in both directions.

    Args:
        make: makes the cells.
        merge_each_layer: every layer sees both directions of the one below; else the directions are merged at the end.
    """

    def __init__(
        self, make: CellMaker, input_size: int, hidden_size: int, num_layers: int, dropout: float,
        merge_mode: str | Callable, merge_each_layer: bool, time_major: bool,
    ):  # fmt: skip
        super().__init__()
        self._dropout = dropout
        if not merge_each_layer:
            ahead, back = (
                StackedRNNCell(
                    [make(hidden_size if i else input_size, f"{way}_{i}") for i in range(num_layers)], dropout
                )
                for way in ("fw", "bw")
            )
            self.layers = LayerList([BidirectionalRNN(ahead, back, merge_mode, time_major)])
            return
        if merge_mode not in ("concat", "sum", "ave", "mul"):
            raise ArgumentError(
                f"{type(self).__name__}: merge_each_layer needs merge_mode concat, sum, ave or mul, got {merge_mode!r}"
            )
        above = hidden_size * 2 if merge_mode == "concat" else hidden_size
        sizes = [above if i else input_size for i in range(num_layers)]
        self.layers = LayerList(
            [
                BidirectionalRNN(make(size, f"fw_{i}"), make(size, f"bw_{i}"), merge_mode, time_major)
                for i, size in enumerate(sizes)
            ]
        )

    def forward(
        self, inputs: BaseVariable, initial_states: Structure = None, sequence_length: BaseVariable | None = None
    ) -> tuple[Any, Any]:
        """(outputs, states): a pair of states, or, if each layer is merged, a list of a pair for each layer."""
        if len(self.layers) == 1:
            return self.layers[0](inputs, initial_states, sequence_length)
        after = []
        for i, layer in enumerate(self.layers):
            below = dropped(inputs, self._dropout, self.training) if i else inputs
            inputs, states = layer(below, None if initial_states is None else initial_states[i], sequence_length)
            after.append(states)
        return inputs, after


class BidirectionalLSTM(_BidirectionalLayers):
    """Layers of BasicLSTMCells in both directions.

    Args:
        merge_mode: see BidirectionalRNN.
        merge_each_layer: every layer sees both directions of the one below; else the directions are merged at the end.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        forget_bias: float = 1.0,
        num_layers: int = 1,
        dropout: float = 0.0,
        merge_mode: str | Callable = "concat",
        merge_each_layer: bool = False,
        time_major: bool = False,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        dtype: Dtype = "float32",
    ):
        make = lstm_maker(hidden_size, gate_activation, activation, forget_bias, param_attr, bias_attr, dtype)
        super().__init__(make, input_size, hidden_size, num_layers, dropout, merge_mode, merge_each_layer, time_major)


class BidirectionalGRU(_BidirectionalLayers):
    """Layers of BasicGRUCells in both directions; see BidirectionalLSTM."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        num_layers: int = 1,
        dropout: float = 0.0,
        merge_mode: str | Callable = "concat",
        merge_each_layer: bool = False,
        time_major: bool = False,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        dtype: Dtype = "float32",
    ):
        make = gru_maker(hidden_size, gate_activation, activation, param_attr, bias_attr, dtype)
        super().__init__(make, input_size, hidden_size, num_layers, dropout, merge_mode, merge_each_layer, time_major)


def _pair(layer: Layer, states: Structure) -> Structure:
    if not isinstance(states, list | tuple) or len(states) != 2:
        raise ArgumentError(
            f"{type(layer).__name__}: initial_states must be a pair, forwards and backwards, got {outline(states)}"
        )
    return states


def _merger(mode: object) -> Callable[[Any, Any], Any]:
    if callable(mode):
        return mode
    known: dict[str, Callable[[Any, Any], Any]] = {
        "concat": lambda a, b: concat([a, b], axis=-1),
        "sum": elementwise_add,
        "ave": lambda a, b: scale(elementwise_add(a, b), scale=0.5),
        "mul": elementwise_mul,
        "zip": lambda a, b: (a, b),
    }
    if mode not in known:
        raise ArgumentError(f"BidirectionalRNN: merge_mode must be one of {', '.join(known)}, got {mode!r}")
    return known[mode]
