"""Recurrent cells: one step of a recurrent network."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.hapi.text.shared import check_sizes, dropped, own
from refluid.layers.common import activate
from refluid.layers.creation import fill_constant_batch_size_like
from refluid.layers.elementwise import elementwise_add, elementwise_mul
from refluid.layers.math import matmul, scale
from refluid.layers.shape import concat, split
from refluid.nn.container import LayerList
from refluid.nn.layer import Layer


class RNNCell(Layer):
    """Base of cells: `forward(inputs, states)` gives (outputs, new states).

    A cell has one state or a list of them; `state_shape` tells their shapes without the batch.
    """

    @property
    def state_shape(self) -> Any:
        """The shape of the state without the batch, or a list of shapes."""
        raise NotImplementedError(f"{type(self).__name__} must define state_shape")

    @property
    def state_dtype(self) -> Any:
        return "float32"

    def get_initial_states(
        self, batch_ref: Any, shape: Any = None, dtype: Any = None, init_value: float = 0, batch_dim_idx: int = 0
    ) -> Any:
        """First states, filled with a number.

        Args:
            batch_ref: a variable whose axis `batch_dim_idx` is the batch.
            shape: what to use in place of `state_shape`.
        """
        return _filled(
            batch_ref,
            self.state_shape if shape is None else shape,
            dtype or self.state_dtype,
            init_value,
            batch_dim_idx,
        )


def _filled(batch_ref: Any, shape: Any, dtype: Any, value: float, axis: int) -> Any:
    if all(isinstance(size, int) for size in shape):
        return fill_constant_batch_size_like(batch_ref, [1, *shape], dtype, value, input_dim_idx=axis)
    return [_filled(batch_ref, one, dtype, value, axis) for one in shape]


class BasicLSTMCell(RNNCell):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997); its states are [hidden, cell].

    i, j, f, o = [x, hidden] . weight + bias; cell = cell * gate(f + forget_bias) + gate(i) * act(j);
    hidden = gate(o) * act(cell).

    Args:
        input_size, hidden_size: how wide the input and the state are.
        gate_activation, activation: names of activations, "sigmoid" and "tanh" by default.
        forget_bias: makes the cell remember at the beginning.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: str | None = None,
        activation: str | None = None,
        forget_bias: float = 1.0,
        dtype: Any = "float32",
    ):
        super().__init__(dtype=dtype)
        check_sizes(self, input_size=input_size, hidden_size=hidden_size)
        self.hidden_size, self.input_size, self._forget_bias = hidden_size, input_size, forget_bias
        self._gate, self._act = gate_activation or "sigmoid", activation or "tanh"
        self.weight = self.create_parameter([input_size + hidden_size, 4 * hidden_size], param_attr)
        self.bias = self.create_parameter([4 * hidden_size], bias_attr, is_bias=True)

    def forward(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        hidden, cell = states
        layer = self.layer_name
        gates = _affine(concat([inputs, hidden], axis=1), self.weight, self.bias)
        i, j, f, o = split(gates, 4, dim=-1)
        kept = elementwise_mul(cell, activate(scale(f, bias=self._forget_bias), self._gate, layer))
        new = elementwise_mul(activate(i, self._gate, layer), activate(j, self._act, layer))
        cell = elementwise_add(kept, new)
        hidden = elementwise_mul(activate(o, self._gate, layer), activate(cell, self._act, layer))
        return hidden, [hidden, cell]

    @property
    def state_shape(self) -> list[list[int]]:
        return [[self.hidden_size], [self.hidden_size]]


class BasicGRUCell(RNNCell):
    """A gated recurrent unit (Cho and others, 2014).

    r, u = gate([x, hidden] . gate_weight + gate_bias); c = act([x, r * hidden] . candidate_weight + candidate_bias);
    hidden = u * hidden + (1 - u) * c.

    Args:
        input_size, hidden_size: how wide the input and the state are.
        gate_activation, activation: names of activations, "sigmoid" and "tanh" by default.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: str | None = None,
        activation: str | None = None,
        dtype: Any = "float32",
    ):
        super().__init__(dtype=dtype)
        check_sizes(self, input_size=input_size, hidden_size=hidden_size)
        self.hidden_size, self.input_size = hidden_size, input_size
        self._gate, self._act = gate_activation or "sigmoid", activation or "tanh"
        rows = input_size + hidden_size
        self.gate_weight = self.create_parameter([rows, 2 * hidden_size], own(param_attr, "gate"))
        self.gate_bias = self.create_parameter([2 * hidden_size], own(bias_attr, "gate"), is_bias=True)
        self.candidate_weight = self.create_parameter([rows, hidden_size], own(param_attr, "candidate"))
        self.candidate_bias = self.create_parameter([hidden_size], own(bias_attr, "candidate"), is_bias=True)

    def forward(self, inputs: Any, states: Any) -> tuple[Any, Any]:
        layer = self.layer_name
        gates = activate(_affine(concat([inputs, states], axis=1), self.gate_weight, self.gate_bias), self._gate, layer)
        r, u = split(gates, 2, dim=-1)
        seen = concat([inputs, elementwise_mul(r, states)], axis=1)
        candidate = activate(_affine(seen, self.candidate_weight, self.candidate_bias), self._act, layer)
        changed = elementwise_mul(scale(u, scale=-1.0, bias=1.0), candidate)
        hidden = elementwise_add(elementwise_mul(u, states), changed)
        return hidden, hidden

    @property
    def state_shape(self) -> list[int]:
        return [self.hidden_size]


class StackedRNNCell(RNNCell):
    """Cells on top of each other: the output of one is the input of the next; its states are a list of theirs.

    Args:
        cells: from the bottom to the top.
        dropout: how much of what goes from cell to cell is forgotten while training.
    """

    def __init__(self, cells: list[RNNCell], dropout: float = 0.0):
        super().__init__()
        if not cells or not all(isinstance(cell, RNNCell) for cell in cells):
            raise ArgumentError(f"{type(self).__name__}: cells must be a list of RNNCells, got {cells!r:.60}")
        self.cells = LayerList(cells)
        self._dropout = dropout

    def forward(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        after = []
        for i, (cell, state) in enumerate(zip(self.cells, states, strict=True)):
            outputs, new = cell(dropped(inputs, self._dropout, self.training) if i else inputs, state)
            after.append(new)
            inputs = outputs
        return inputs, after

    @property
    def state_shape(self) -> list[Any]:
        return [cell.state_shape for cell in self.cells]


class StackedLSTMCell(StackedRNNCell):
    """`num_layers` BasicLSTMCells on top of each other."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        gate_activation: str | None = None,
        activation: str | None = None,
        forget_bias: float = 1.0,
        num_layers: int = 1,
        dropout: float = 0.0,
        param_attr: Any = None,
        bias_attr: Any = None,
        dtype: Any = "float32",
    ):
        cells: list[RNNCell] = [
            BasicLSTMCell(
                hidden_size if i else input_size, hidden_size, own(param_attr, str(i)), own(bias_attr, str(i)),
                gate_activation, activation, forget_bias, dtype,
            )
            for i in range(num_layers)
        ]  # fmt: skip
        super().__init__(cells, dropout)


class StackedGRUCell(StackedRNNCell):
    """`num_layers` BasicGRUCells on top of each other."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        gate_activation: str | None = None,
        activation: str | None = None,
        num_layers: int = 1,
        dropout: float = 0.0,
        param_attr: Any = None,
        bias_attr: Any = None,
        dtype: Any = "float32",
    ):
        cells: list[RNNCell] = [
            BasicGRUCell(
                hidden_size if i else input_size, hidden_size, own(param_attr, str(i)), own(bias_attr, str(i)),
                gate_activation, activation, dtype,
            )
            for i in range(num_layers)
        ]  # fmt: skip
        super().__init__(cells, dropout)


def _affine(x: Any, weight: Any, bias: Any) -> Any:
    product = matmul(x, weight)
    return product if bias is None else elementwise_add(product, bias)
