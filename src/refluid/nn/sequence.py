"""SequenceConv and RowConv: layers over LoDTensors, as 1.5 spells them."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.layers.common import activate
from refluid.nn.generations import scoped_name
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.sequence.sequence_conv import sequence_conv


class SequenceConv(Layer):
    """Convolution along sequences; steps beyond an end count as zeros. See layers.sequence_conv."""

    def __init__(self, name_scope: str, num_filters: int, filter_size: int = 3, filter_stride: int = 1,
                 padding: Any = None, bias_attr: Any = None, param_attr: Any = None, act: Any = None):  # fmt: skip
        super().__init__(name_scope)
        self._full_name = scoped_name(name_scope, self)
        if filter_stride != 1:
            raise ArgumentError(f"SequenceConv: filter_stride must be 1, got {filter_stride!r}")
        self._num_filters, self._filter_size, self._filter_stride = num_filters, filter_size, filter_stride
        self._padding, self._param_attr, self._bias_attr, self._act = padding, param_attr, bias_attr, act

    def _build_once(self, input: Any) -> None:
        self._dtype = input.dtype
        self.weight = self.create_parameter([self._filter_size * input.shape[1], self._num_filters], self._param_attr)
        self.bias = self.create_parameter([self._num_filters], self._bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        layer = self.layer_name
        out = sequence_conv(
            input, None, self.weight, name=layer, contextStride=self._filter_stride,
            contextStart=-int(self._filter_size // 2), contextLength=self._filter_size,
        )  # fmt: skip
        if self.bias is not None:
            out = elementwise_add(out, self.bias, axis=1, name=layer)
        return activate(out, self._act, layer)


class RowConv(Layer):
    """Every step becomes a weighted sum of itself and the next future_context_size steps (Amodei et al., 2015)."""

    def __init__(self, name_scope: str, future_context_size: int, param_attr: Any = None, act: Any = None):
        super().__init__(name_scope)
        self._full_name = scoped_name(name_scope, self)
        self._future_context_size, self._param_attr, self._act = future_context_size, param_attr, act

    def _build_once(self, input: Any) -> None:
        self._dtype = input.dtype
        self.weight = self.create_parameter([self._future_context_size + 1, input.shape[-1]], self._param_attr)

    def forward(self, input: Any) -> Any:
        layer = self.layer_name
        return activate(registry.get("row_conv")(input, self.weight, name=layer), self._act, layer)
