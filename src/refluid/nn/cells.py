"""LSTMCell and GRUCell of fluid.dygraph (2.0-alpha): one step of a recurrent network, with sizes given at once."""

from __future__ import annotations

from typing import Any

from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.activation import sigmoid, tanh
from refluid.layers.creation import fill_constant
from refluid.layers.rnn.cells import Activation, checked_size, own_attr
from refluid.layers.shape import split
from refluid.nn.layer import Layer
from refluid.nn.recurrent_unit import GatedRecurrentUnit, LongShortTermMemoryUnit
from refluid.ops.math.matmul import matmul
from refluid.params.attr import AttrLike


class _Cell(Layer):
    """What both have: as cuDNN lays it out, one matrix and one bias for the input and one of each for the state."""

    _gates: int

    def __init__(
        self,
        hidden_size: int,
        input_size: int,
        attrs: tuple[Any, Any],
        activations: tuple[Activation | None, Activation | None],
        use_cudnn_impl: bool,
        dtype: Dtype,
    ):
        super().__init__(dtype=dtype)
        self._hidden_size, self._input_size = checked_size(type(self).__name__, hidden_size), input_size
        self._param_attr, self._bias_attr = attrs
        self._gate_activation, self._activation = activations[0] or sigmoid, activations[1] or tanh
        self._use_cudnn_impl = use_cudnn_impl
        if use_cudnn_impl:
            rows = self._gates * hidden_size
            self._weight_ih = self.create_parameter([rows, input_size], own_attr(self._param_attr, "_weight_ih"))
            self._weight_hh = self.create_parameter([rows, hidden_size], own_attr(self._param_attr, "_weight_hh"))
            self._bias_ih = self.create_parameter([rows], own_attr(self._bias_attr, "_bias_ih"), is_bias=True)
            self._bias_hh = self.create_parameter([rows], own_attr(self._bias_attr, "_bias_hh"), is_bias=True)

    def _parts(self, input: BaseVariable, hidden: BaseVariable) -> list[tuple[BaseVariable, BaseVariable]]:
        """For every gate what the input and what the state give to it."""
        of_input = matmul(input, self._weight_ih, transpose_Y=True) + self._bias_ih
        of_state = matmul(hidden, self._weight_hh, transpose_Y=True) + self._bias_hh
        return list(zip(split(of_input, self._gates, dim=1), split(of_state, self._gates, dim=1), strict=True))


class LSTMCell(_Cell, LongShortTermMemoryUnit):
    """One step of long short-term memory (Hochreiter and Schmidhuber, 1997).

    Args:
        hidden_size: the width of the state.
        input_size: the width of the input.
        param_attr: settings of the weights.
        bias_attr: settings of the biases; False for no bias.
        gate_activation: a function of fluid.layers; sigmoid if None.
        activation: a function of fluid.layers; tanh if None.
        forget_bias: added to the forget gate; only without use_cudnn_impl.
        use_cudnn_impl: parameters as cuDNN has them; else those of BasicLSTMUnit.
        dtype: the dtype of the parameters.
    """

    _gates = 4

    def __init__(
        self, hidden_size: int, input_size: int, param_attr: AttrLike = None, bias_attr: AttrLike = None,
        gate_activation: Activation | None = None, activation: Activation | None = None, forget_bias: float = 1.0,
        use_cudnn_impl: bool = True, dtype: Dtype = "float64",
    ):  # fmt: skip
        super().__init__(
            hidden_size, input_size, (param_attr, bias_attr), (gate_activation, activation), use_cudnn_impl, dtype
        )
        if not use_cudnn_impl:
            self._forget = forget_bias
            self._create_lstm(input_size, hidden_size, param_attr, bias_attr)

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
        gate, act = self._gate_activation, self._activation
        if not self._use_cudnn_impl:
            forget_bias = fill_constant([1], self._dtype, self._forget)
            return self._lstm(input, pre_hidden, pre_cell, forget_bias, gate, act)
        enter, forget, candidate, out = (x + h for x, h in self._parts(input, pre_hidden))
        cell = gate(forget) * pre_cell + gate(enter) * act(candidate)
        return gate(out) * act(cell), cell


class GRUCell(_Cell, GatedRecurrentUnit):
    """One step of a gated recurrent unit (Cho et al., 2014).

    Args:
        hidden_size: the width of the state.
        input_size: the width of the input.
        param_attr: settings of the weights.
        bias_attr: settings of the biases; False for no bias.
        gate_activation: a function of fluid.layers; sigmoid if None.
        activation: a function of fluid.layers; tanh if None.
        use_cudnn_impl: parameters as cuDNN has them; else those of BasicGRUUnit.
        dtype: the dtype of the parameters.
    """

    _gates = 3
    _long_suffixes = True

    def __init__(
        self, hidden_size: int, input_size: int, param_attr: AttrLike = None, bias_attr: AttrLike = None,
        gate_activation: Activation | None = None, activation: Activation | None = None, use_cudnn_impl: bool = True,
        dtype: Dtype = "float64",
    ):  # fmt: skip
        super().__init__(
            hidden_size, input_size, (param_attr, bias_attr), (gate_activation, activation), use_cudnn_impl, dtype
        )
        if not use_cudnn_impl:
            self._create_gru(input_size, hidden_size, param_attr, bias_attr)

    def forward(self, input: BaseVariable, pre_hidden: BaseVariable) -> BaseVariable:
        """One step.

        Args:
            input: a variable of shape [N, input_size].
            pre_hidden: the hidden state of shape [N, hidden_size].

        Returns:
            The new hidden state, of shape [N, hidden_size].
        """
        gate, act = self._gate_activation, self._activation
        if not self._use_cudnn_impl:
            return self._gru(input, pre_hidden, gate, act)
        (reset_x, reset_h), (update_x, update_h), (new_x, new_h) = self._parts(input, pre_hidden)
        candidate = act(new_x + gate(reset_x + reset_h) * new_h)
        return gate(update_x + update_h) * (pre_hidden - candidate) + candidate
