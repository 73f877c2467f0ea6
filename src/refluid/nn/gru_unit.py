"""GRUUnit."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.core.generations import generations, older
from refluid.core.types import Dtype
from refluid.core.warn import warn_once
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import positive
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer
from refluid.ops.sequence.gates import NUMBERS
from refluid.ops.sequence.gru_unit import gru_unit
from refluid.params.attr import AttrLike


class GRUUnit(Layer):
    """One step of a gated recurrent unit (Cho et al., 2014).

    Args:
        size: three times the width of the hidden state, as of the input, which holds the projections for the update
            gate, the reset gate and the candidate.
        param_attr: settings of the weight [size / 3, size].
        bias_attr: settings of the bias [1, size]; False for no bias.
        activation: the activation of the candidate: "identity", "sigmoid", "tanh" or "relu".
        gate_activation: the activation of the gates, likewise.
        origin_mode: no effect, as in Fluid.
        dtype: the dtype of the parameters.
    """

    @generations
    def __init__(
        self, size: int, param_attr: AttrLike = None, bias_attr: AttrLike = None, activation: str = "tanh",
        gate_activation: str = "sigmoid", origin_mode: bool = False, dtype: Dtype = "float32",
    ):  # fmt: skip
        super().__init__(dtype=dtype)
        self._set_up(size, param_attr, bias_attr, activation, gate_activation, origin_mode)

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(
        self,
        name_scope: str,
        size: int,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        activation: str = "tanh",
        gate_activation: str = "sigmoid",
        origin_mode: bool = False,
        dtype: Dtype = "float32",
    ) -> None:
        super().__init__(in_scope(name_scope, self), dtype)
        self._set_up(size, param_attr, bias_attr, activation, gate_activation, origin_mode)

    def _set_up(
        self,
        size: int,
        param_attr: AttrLike,
        bias_attr: AttrLike,
        activation: str,
        gate_activation: str,
        origin_mode: bool,
    ) -> None:
        size = positive("GRUUnit: size", size)
        if size % 3:
            raise ArgumentError(f"GRUUnit: size must be three times the width of the hidden state, got {size!r}")
        self.activation, self.gate_activation = _number(activation), _number(gate_activation)
        if origin_mode:
            warn_once("GRUUnit: origin_mode is not used, as in Fluid; fluid.layers.gru_unit uses it")
        self._origin_mode, self._bias_attr = origin_mode, bias_attr
        self._bias_size = [1, size]
        self.weight = self.create_parameter([size // 3, size], param_attr)
        self.bias = self.create_parameter(self._bias_size, bias_attr, is_bias=True)

    def forward(self, input: BaseVariable, hidden: BaseVariable) -> tuple[BaseVariable, BaseVariable, BaseVariable]:
        """One step.

        Args:
            input: a variable of shape [N, size].
            hidden: the hidden state of shape [N, size / 3].

        Returns:
            (new hidden state, hidden state after the reset gate, gates).
        """
        gate, reset, new = gru_unit(
            input, hidden, self.weight, self.bias, name=self.layer_name, activation=self.activation,
            gate_activation=self.gate_activation,
        )  # fmt: skip
        return new, reset, gate


def _number(activation: str) -> int:
    if activation not in NUMBERS:
        raise ArgumentError(f"GRUUnit: an activation must be one of {', '.join(NUMBERS)}, got {activation!r}")
    return NUMBERS[activation]
