"""GRUUnit in the spellings of 1.5 and 1.7."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.warn import warn_once
from refluid.layers.numbers import positive
from refluid.nn.generations import bind, need, scoped_name, take_scope
from refluid.nn.layer import Layer
from refluid.ops.sequence.gru_unit import IDENTITY, RELU, SIGMOID, TANH, gru_unit

_NUMBERS = {"identity": IDENTITY, "sigmoid": SIGMOID, "tanh": TANH, "relu": RELU}


class GRUUnit(Layer):
    """One step of a gated recurrent unit (Cho et al., 2014).

    GRUUnit([name_scope,] size, param_attr=None, bias_attr=None, activation='tanh', gate_activation='sigmoid',
    origin_mode=False, dtype='float32'); `size` is three times the width of the hidden state, as of the input, which
    holds the projections for the update gate, the reset gate and the candidate. The name scope is of 1.5.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        given = {
            "param_attr": None, "bias_attr": None, "activation": "tanh", "gate_activation": "sigmoid",
            "origin_mode": False, "dtype": "float32",
            **bind("size param_attr bias_attr activation gate_activation origin_mode dtype", args, kwargs, type(self)),
        }  # fmt: skip
        need(type(self), given, "size")
        size = positive("GRUUnit: size", given["size"])
        if size % 3:
            raise ArgumentError(f"GRUUnit: size must be three times the width of the hidden state, got {size!r}")
        super().__init__(dtype=given["dtype"])
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        self.activation, self.gate_activation = _number(given["activation"]), _number(given["gate_activation"])
        if given["origin_mode"]:
            warn_once("GRUUnit: origin_mode is not used, as in Fluid; fluid.layers.gru_unit uses it")
        self._origin_mode, self._bias_attr = given["origin_mode"], given["bias_attr"]
        self._bias_size = [1, size]
        self.weight = self.create_parameter([size // 3, size], given["param_attr"])
        self.bias = self.create_parameter(self._bias_size, given["bias_attr"], is_bias=True)

    def forward(self, input: Any, hidden: Any) -> tuple[Any, Any, Any]:
        """(the new hidden state, the old one behind the reset gate, the gates)."""
        gate, reset, new = gru_unit(
            input, hidden, self.weight, self.bias, name=self.layer_name, activation=self.activation,
            gate_activation=self.gate_activation,
        )  # fmt: skip
        return new, reset, gate


def _number(activation: str) -> int:
    if activation not in _NUMBERS:
        raise ArgumentError(f"GRUUnit: an activation must be one of {', '.join(_NUMBERS)}, got {activation!r}")
    return _NUMBERS[activation]
