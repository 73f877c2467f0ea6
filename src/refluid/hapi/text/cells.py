"""Recurrent cells: one step of a recurrent network."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from refluid.core.errors import ArgumentError, NotDefinedError, ShapeError
from refluid.core.types import Dtype
from refluid.hapi.text.shared import check_sizes, dropped
from refluid.layers.activation import sigmoid, tanh
from refluid.layers.control_flow.nest import Structure, outline
from refluid.layers.rnn.cells import Activation, first_states, own_attr
from refluid.nn.container import LayerList
from refluid.nn.layer import Layer
from refluid.nn.recurrent_unit import GatedRecurrentUnit, LongShortTermMemoryUnit
from refluid.params.attr import AttrLike

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class RNNCell(Layer):
    """Base of cells: `forward(inputs, states)` gives (outputs, new states).

    A cell has one state or a structure (lists, tuples, dictionaries) of them.
    """

    @property
    def state_shape(self) -> Structure:
        """The shape of the state without the batch, or a structure of shapes."""
        raise NotDefinedError(f"{type(self).__name__} must define state_shape")

    @property
    def state_dtype(self) -> Structure:
        """The dtype of the state, or a structure of dtypes."""
        return self._dtype

    def get_initial_states(
        self,
        batch_ref: Structure,
        shape: Structure = None,
        dtype: Structure = None,
        init_value: float = 0,
        batch_dim_idx: int = 0,
    ) -> Structure:
        """First states, filled with a number; see fluid.layers.RNNCell."""
        return first_states(self, batch_ref, shape, dtype, init_value, batch_dim_idx)


class BasicLSTMCell(RNNCell, LongShortTermMemoryUnit):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997); its states are [hidden, cell].

    i, j, f, o = [x, hidden] . weight + bias; cell = cell * gate(f + forget_bias) + gate(i) * act(j);
    hidden = gate(o) * act(cell).

    Args:
        input_size, hidden_size: the widths of the input and of the state.
        gate_activation, activation: layer functions, sigmoid and tanh by default.
        forget_bias: added to the forget gate, so that the cell keeps its state at first.
    """

    _order = ("weight", "bias")

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        forget_bias: float = 1.0,
        dtype: Dtype = "float32",
    ):
        super().__init__(dtype=dtype)
        check_sizes(self, input_size=input_size, hidden_size=hidden_size)
        self.hidden_size, self.input_size, self._forget_bias = hidden_size, input_size, forget_bias
        self._gate = _function(self, "gate_activation", gate_activation, sigmoid)
        self._act = _function(self, "activation", activation, tanh)
        self._create_lstm(input_size, hidden_size, param_attr, bias_attr)

    def forward(self, inputs: BaseVariable, states: Structure) -> tuple[Any, list[Any]]:
        _check_step(self, inputs)
        hidden, cell = _states(self, states, 2, "[hidden, cell]")
        hidden, cell = self._lstm(inputs, hidden, cell, self._forget_bias, self._gate, self._act)
        return hidden, [hidden, cell]

    @property
    def state_shape(self) -> list[list[int]]:
        return [[self.hidden_size], [self.hidden_size]]


class BasicGRUCell(RNNCell, GatedRecurrentUnit):
    """A gated recurrent unit (Cho and others, 2014).

    r, u = gate([x, hidden] . gate_weight + gate_bias); c = act([x, r * hidden] . candidate_weight + candidate_bias);
    hidden = u * hidden + (1 - u) * c.

    Args:
        input_size, hidden_size: the widths of the input and of the state.
        gate_activation, activation: layer functions, sigmoid and tanh by default.
    """

    _order = ("gate_weight", "gate_bias", "candidate_weight", "candidate_bias")

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        dtype: Dtype = "float32",
    ):
        super().__init__(dtype=dtype)
        check_sizes(self, input_size=input_size, hidden_size=hidden_size)
        self.hidden_size, self.input_size = hidden_size, input_size
        self._gate = _function(self, "gate_activation", gate_activation, sigmoid)
        self._act = _function(self, "activation", activation, tanh)
        self._create_gru(input_size, hidden_size, param_attr, bias_attr)

    def forward(self, inputs: BaseVariable, states: Structure) -> tuple[Any, Any]:
        _check_step(self, inputs)
        hidden = self._gru(inputs, states, self._gate, self._act)
        return hidden, hidden

    @property
    def state_shape(self) -> list[int]:
        return [self.hidden_size]


class StackedRNNCell(RNNCell):
    """Cells on top of each other: the output of one is the input of the next; its states are a list of theirs.

    Args:
        cells: from the bottom to the top.
        dropout: the dropout probability between cells, while training.
    """

    def __init__(self, cells: list[RNNCell], dropout: float = 0.0):
        super().__init__()
        if not cells or not all(isinstance(cell, RNNCell) for cell in cells):
            raise ArgumentError(f"{type(self).__name__}: cells must be a list of RNNCells, got {cells!r:.60}")
        self.cells = LayerList(cells)
        self._dropout = dropout

    def forward(self, inputs: BaseVariable, states: Structure) -> tuple[Any, list[Any]]:
        after = []
        states = _states(self, states, len(self.cells), "a list of one for each cell")
        for i, (cell, state) in enumerate(zip(self.cells, states, strict=True)):
            outputs, new = cell(dropped(inputs, self._dropout, self.training) if i else inputs, state)
            after.append(new)
            inputs = outputs
        return inputs, after

    @property
    def state_shape(self) -> list[Any]:
        return [cell.state_shape for cell in self.cells]

    @property
    def state_dtype(self) -> list[Any]:
        return [cell.state_dtype for cell in self.cells]


CellMaker: TypeAlias = Callable[[int, str], RNNCell]
"""Makes a cell from the width of its input and from what tells the names of its parameters apart."""


def lstm_maker(
    hidden_size: int,
    gate_activation: Activation | None,
    activation: Activation | None,
    forget_bias: float,
    param_attr: AttrLike,
    bias_attr: AttrLike,
    dtype: Dtype,
) -> CellMaker:
    """Makes BasicLSTMCells of one network."""
    return lambda input_size, name: BasicLSTMCell(
        input_size, hidden_size, own_attr(param_attr, f"_{name}"), own_attr(bias_attr, f"_{name}"), gate_activation,
        activation, forget_bias, dtype,
    )  # fmt: skip


def gru_maker(
    hidden_size: int,
    gate_activation: Activation | None,
    activation: Activation | None,
    param_attr: AttrLike,
    bias_attr: AttrLike,
    dtype: Dtype,
) -> CellMaker:
    """Makes BasicGRUCells of one network."""
    return lambda input_size, name: BasicGRUCell(
        input_size, hidden_size, own_attr(param_attr, f"_{name}"), own_attr(bias_attr, f"_{name}"), gate_activation,
        activation, dtype,
    )  # fmt: skip


class StackedLSTMCell(StackedRNNCell):
    """`num_layers` BasicLSTMCells on top of each other."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        forget_bias: float = 1.0,
        num_layers: int = 1,
        dropout: float = 0.0,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        dtype: Dtype = "float32",
    ):
        make = lstm_maker(hidden_size, gate_activation, activation, forget_bias, param_attr, bias_attr, dtype)
        super().__init__([make(hidden_size if i else input_size, str(i)) for i in range(num_layers)], dropout)


class StackedGRUCell(StackedRNNCell):
    """`num_layers` BasicGRUCells on top of each other."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        num_layers: int = 1,
        dropout: float = 0.0,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        dtype: Dtype = "float32",
    ):
        make = gru_maker(hidden_size, gate_activation, activation, param_attr, bias_attr, dtype)
        super().__init__([make(hidden_size if i else input_size, str(i)) for i in range(num_layers)], dropout)


def _check_step(cell: RNNCell, inputs: BaseVariable) -> None:
    shape = getattr(inputs, "shape", [])  # what is no variable is refused by the operators
    if shape and (len(shape) != 2 or shape[1] not in (-1, cell.input_size)):
        raise ShapeError(
            f"{type(cell).__name__}: the inputs of a step must be [batch, {cell.input_size}], got {list(shape)}"
        )


def _states(cell: RNNCell, states: Structure, count: int, what: str) -> Structure:
    if not isinstance(states, list | tuple) or len(states) != count:
        raise ArgumentError(f"{type(cell).__name__}: states must be {what} ({count}), got {outline(states)}")
    return states


def _function(cell: RNNCell, name: str, given: object, default: Activation) -> Activation:
    if given is not None and not callable(given):
        raise ArgumentError(
            f"{type(cell).__name__}: {name} must be a layer function such as fluid.layers.tanh, got {given!r}"
        )
    return given or default
