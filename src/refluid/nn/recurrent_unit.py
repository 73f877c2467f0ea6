"""The parameters and the step that the LSTM and GRU cells and units of all releases share.

They differ in how the parameters are called, in which order they are made, and when: some know the width of the input
from the beginning, others from their first call.
"""

from __future__ import annotations

from typing import ClassVar

from refluid.ir.base_variable import BaseVariable
from refluid.layers.rnn.cells import Activation, gru_step, lstm_step, own_attr
from refluid.nn.layer import Layer
from refluid.params.attr import AttrLike


class GatedRecurrentUnit(Layer):
    """A Layer with the weights and biases of the gates and of the candidate; see `gru_step`."""

    # The attributes that hold the parameters, in the order in which they are made.
    _order: ClassVar[tuple[str, ...]] = ("_gate_weight", "_candidate_weight", "_gate_bias", "_candidate_bias")
    _long_suffixes = False  # whether names end with "_gate_weight" or with "_gate"

    def _create_gru(self, input_size: int, size: int, param_attr: AttrLike, bias_attr: AttrLike) -> None:
        for attribute in self._order:
            name = attribute.lstrip("_")
            is_gate, is_bias = name.startswith("gate"), name.endswith("bias")
            columns = 2 * size if is_gate else size
            suffix = name if self._long_suffixes else name.split("_")[0]
            attr = own_attr(bias_attr if is_bias else param_attr, f"_{suffix}")
            shape = [columns] if is_bias else [input_size + size, columns]
            setattr(self, attribute, self.create_parameter(shape, attr, is_bias=is_bias))

    def _gru(self, input: BaseVariable, hidden: BaseVariable, gate: Activation, act: Activation) -> BaseVariable:
        by_name = {attribute.lstrip("_"): getattr(self, attribute) for attribute in self._order}
        names = ("gate_weight", "candidate_weight", "gate_bias", "candidate_bias")
        return gru_step(input, hidden, tuple(by_name[name] for name in names), gate, act)


class LongShortTermMemoryUnit(Layer):
    """A Layer with the weight and the bias of all gates; see `lstm_step`."""

    _order: ClassVar[tuple[str, str]] = ("_weight", "_bias")

    def _create_lstm(self, input_size: int, size: int, param_attr: AttrLike, bias_attr: AttrLike) -> None:
        weight, bias = self._order
        setattr(self, weight, self.create_parameter([input_size + size, 4 * size], param_attr))
        setattr(self, bias, self.create_parameter([4 * size], bias_attr, is_bias=True))

    def _lstm(
        self, input: BaseVariable, hidden: BaseVariable, cell: BaseVariable, forget_bias: float | BaseVariable,
        gate: Activation, act: Activation,
    ) -> tuple[BaseVariable, BaseVariable]:  # fmt: skip
        weight, bias = self._order
        return lstm_step(input, hidden, cell, (getattr(self, weight), getattr(self, bias)), forget_bias, gate, act)
