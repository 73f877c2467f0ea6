"""SequenceConv and RowConv: layers over LoDTensors, as 1.5 spells them."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import Activation, activate
from refluid.nn.generations import in_scope
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.sequence.sequence_conv import sequence_conv
from refluid.params.attr import AttrLike


class SequenceConv(Layer):
    """Convolution along sequences; steps beyond an end count as zeros. See layers.sequence_conv.

    Args:
        name_scope: prefix of the parameter names.
        num_filters: the number of output features.
        filter_size: the number of steps in the window, centred at the step.
        filter_stride: must be 1.
        padding: no effect; steps beyond an end are zeros.
        bias_attr: settings of the bias [num_filters]; False for no bias.
        param_attr: settings of the weight [filter_size * width, num_filters].
        act: the name of an activation, "relu" for example; None for none.
    """

    def __init__(
        self,
        name_scope: str,
        num_filters: int,
        filter_size: int = 3,
        filter_stride: int = 1,
        padding: bool | None = None,
        bias_attr: AttrLike = None,
        param_attr: AttrLike = None,
        act: Activation = None,
    ):
        super().__init__(in_scope(name_scope, self))
        if filter_stride != 1:
            raise ArgumentError(f"SequenceConv: filter_stride must be 1, got {filter_stride!r}")
        self._num_filters, self._filter_size, self._filter_stride = num_filters, filter_size, filter_stride
        self._padding, self._param_attr, self._bias_attr, self._act = padding, param_attr, bias_attr, act

    def _build_once(self, input: BaseVariable) -> None:
        self._dtype = input.dtype
        self.weight = self.create_parameter([self._filter_size * input.shape[1], self._num_filters], self._param_attr)
        self.bias = self.create_parameter([self._num_filters], self._bias_attr, is_bias=True)

    def forward(self, input: BaseVariable) -> BaseVariable:
        layer = self.layer_name
        out = sequence_conv(
            input, None, self.weight, name=layer, contextStride=self._filter_stride,
            contextStart=-int(self._filter_size // 2), contextLength=self._filter_size,
        )  # fmt: skip
        if self.bias is not None:
            out = elementwise_add(out, self.bias, axis=1, name=layer)
        return activate(out, self._act, layer)


class RowConv(Layer):
    """Row convolution: every step is a weighted sum of itself and the next steps (Amodei et al., 2015).

    Args:
        name_scope: prefix of the parameter names.
        future_context_size: the number of next steps.
        param_attr: settings of the weight [future_context_size + 1, width].
        act: the name of an activation, "relu" for example; None for none.
    """

    def __init__(self, name_scope: str, future_context_size: int, param_attr: AttrLike = None, act: Activation = None):
        super().__init__(in_scope(name_scope, self))
        self._future_context_size, self._param_attr, self._act = future_context_size, param_attr, act

    def _build_once(self, input: BaseVariable) -> None:
        self._dtype = input.dtype
        self.weight = self.create_parameter([self._future_context_size + 1, input.shape[-1]], self._param_attr)

    def forward(self, input: BaseVariable) -> BaseVariable:
        layer = self.layer_name
        return activate(registry.get("row_conv")(input, self.weight, name=layer), self._act, layer)
