"""BasicGRUUnit and BasicLSTMUnit: one step of a recurrent network, as Layers."""

from __future__ import annotations

from typing import Any

from refluid.layers.activation import sigmoid, tanh
from refluid.layers.creation import fill_constant
from refluid.layers.rnn.cells import Activation, checked_size, gru_step, input_width, lstm_step, own_attr
from refluid.nn.layer import Layer


class BasicGRUUnit(Layer):
    """A gated recurrent unit whose parameters are made for the width of its first input; see GRUCell.

    Args:
        name_scope: parameters' names begin with it.
        hidden_size: how wide the state is.
        gate_activation, activation: layer functions, sigmoid and tanh by default.
    """

    def __init__(
        self,
        name_scope: str,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        dtype: Any = "float32",
    ):
        super().__init__(f"{name_scope}/{type(self).__name__}", dtype)
        self._size = checked_size(type(self).__name__, hidden_size)
        self._attrs = (param_attr, bias_attr)
        self._gate, self._act = gate_activation or sigmoid, activation or tanh

    def _build_once(self, input: Any, pre_hidden: Any) -> None:
        rows, size = input_width(type(self).__name__, input) + self._size, self._size
        weights, biases = self._attrs
        self._gate_weight = self.create_parameter([rows, 2 * size], own_attr(weights, "_gate"))
        self._candidate_weight = self.create_parameter([rows, size], own_attr(weights, "_candidate"))
        self._gate_bias = self.create_parameter([2 * size], own_attr(biases, "_gate"), is_bias=True)
        self._candidate_bias = self.create_parameter([size], own_attr(biases, "_candidate"), is_bias=True)

    def forward(self, input: Any, pre_hidden: Any) -> Any:
        """The new hidden state [N, hidden_size]."""
        parameters = (self._gate_weight, self._candidate_weight, self._gate_bias, self._candidate_bias)
        return gru_step(input, pre_hidden, parameters, self._gate, self._act)


class BasicLSTMUnit(Layer):
    """A step of long short-term memory whose parameters are made for the width of its first input; see LSTMCell.

    Args:
        name_scope: parameters' names begin with it.
        hidden_size: how wide both states are.
        gate_activation, activation: layer functions, sigmoid and tanh by default.
        forget_bias: makes the cell remember at the beginning.
    """

    def __init__(
        self,
        name_scope: str,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        forget_bias: float = 1.0,
        dtype: Any = "float32",
    ):
        super().__init__(f"{name_scope}/{type(self).__name__}", dtype)
        self._size = checked_size(type(self).__name__, hidden_size)
        self._attrs = (param_attr, bias_attr)
        self._gate, self._act = gate_activation or sigmoid, activation or tanh
        self._forget = forget_bias

    def _build_once(self, input: Any, pre_hidden: Any, pre_cell: Any) -> None:
        rows, size = input_width(type(self).__name__, input) + self._size, self._size
        weights, biases = self._attrs
        self._weight = self.create_parameter([rows, 4 * size], weights)
        self._bias = self.create_parameter([4 * size], biases, is_bias=True)

    def forward(self, input: Any, pre_hidden: Any, pre_cell: Any) -> tuple[Any, Any]:
        """(the new hidden state, the new cell), both [N, hidden_size]."""
        forget_bias = fill_constant([1], self._dtype, self._forget)
        return lstm_step(input, pre_hidden, pre_cell, (self._weight, self._bias), forget_bias, self._gate, self._act)
