"""paddle.fluid.dygraph_utils: activations and biases of imperative layers."""

from refluid.layers.imperative import (
    _append_activation_in_dygraph as _append_activation_in_dygraph,
    _append_bias_in_dygraph as _append_bias_in_dygraph,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
