"""BasicGRUUnit and BasicLSTMUnit: one step of a recurrent network, as Layers."""

from __future__ import annotations

from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.activation import sigmoid, tanh
from refluid.layers.creation import fill_constant
from refluid.layers.rnn.cells import Activation, checked_size, input_width
from refluid.nn.generations import in_scope
from refluid.nn.recurrent_unit import GatedRecurrentUnit, LongShortTermMemoryUnit
from refluid.params.attr import AttrLike


class BasicGRUUnit(GatedRecurrentUnit):
    """A gated recurrent unit whose parameters are made for the width of its first input; see GRUCell.

    Args:
        name_scope: prefix of the parameter names.
        hidden_size: the width of the state.
        param_attr: settings of the weights.
        bias_attr: settings of the biases; False for no bias.
        gate_activation: a function of fluid.layers; sigmoid if None.
        activation: a function of fluid.layers; tanh if None.
        dtype: the dtype of the parameters.
    """

    def __init__(
        self,
        name_scope: str,
        hidden_size: int,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        dtype: Dtype = "float32",
    ):
        super().__init__(in_scope(name_scope, self), dtype)
        self._size = checked_size(type(self).__name__, hidden_size)
        self._attrs = (param_attr, bias_attr)
        self._gate, self._act = gate_activation or sigmoid, activation or tanh

    def _build_once(self, input: BaseVariable, pre_hidden: BaseVariable) -> None:
        self._create_gru(input_width(type(self).__name__, input), self._size, *self._attrs)

    def forward(self, input: BaseVariable, pre_hidden: BaseVariable) -> BaseVariable:
        """One step.

        Args:
            input: a variable of shape [N, input_size].
            pre_hidden: the hidden state of shape [N, hidden_size].

        Returns:
            The new hidden state, of shape [N, hidden_size].
        """
        return self._gru(input, pre_hidden, self._gate, self._act)


class BasicLSTMUnit(LongShortTermMemoryUnit):
    """A step of long short-term memory whose parameters are made for the width of its first input; see LSTMCell.

    Args:
        name_scope: prefix of the parameter names.
        hidden_size: the width of the state.
        param_attr: settings of the weights.
        bias_attr: settings of the biases; False for no bias.
        gate_activation: a function of fluid.layers; sigmoid if None.
        activation: a function of fluid.layers; tanh if None.
        forget_bias: added to the forget gate, so that the cell keeps its state at first.
        dtype: the dtype of the parameters.
    """

    def __init__(
        self,
        name_scope: str,
        hidden_size: int,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        forget_bias: float = 1.0,
        dtype: Dtype = "float32",
    ):
        super().__init__(in_scope(name_scope, self), dtype)
        self._size = checked_size(type(self).__name__, hidden_size)
        self._attrs = (param_attr, bias_attr)
        self._gate, self._act = gate_activation or sigmoid, activation or tanh
        self._forget = forget_bias

    def _build_once(self, input: BaseVariable, pre_hidden: BaseVariable, pre_cell: BaseVariable) -> None:
        self._create_lstm(input_width(type(self).__name__, input), self._size, *self._attrs)

    def forward(
        self, input: BaseVariable, pre_hidden: BaseVariable, pre_cell: BaseVariable
    ) -> tuple[BaseVariable, BaseVariable]:
        """One step.

        Args:
            input: a variable of shape [N, input_size].
            pre_hidden: the hidden state of shape [N, hidden_size].
            pre_cell: the cell state of shape [N, hidden_size].

        Returns:
            (new hidden state, new cell state), both of shape [N, hidden_size].
        """
        forget_bias = fill_constant([1], self._dtype, self._forget)
        return self._lstm(input, pre_hidden, pre_cell, forget_bias, self._gate, self._act)
