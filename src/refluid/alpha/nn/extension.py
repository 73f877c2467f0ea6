"""RowConv with its channels said."""

from __future__ import annotations

from refluid.alpha.common import need_weight
from refluid.alpha.nn.functional import row_conv
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import Activation
from refluid.nn.layer import Layer
from refluid.params.attr import AttrLike


class RowConv(Layer):
    """Row convolution: every step is a weighted sum of itself and the next steps (Amodei et al., 2015).

    Args:
        num_channels: the width of a step.
        future_context_size: the number of next steps.
        param_attr: settings of the weight [future_context_size + 1, num_channels].
        act: the name of an activation.
        dtype: the dtype of the weight.
    """

    def __init__(
        self,
        num_channels: int,
        future_context_size: int,
        param_attr: AttrLike = None,
        act: Activation = None,
        dtype: Dtype = "float32",
    ):
        super().__init__(dtype=dtype)
        need_weight("RowConv", param_attr)
        self._act = act
        self.weight = self.create_parameter([future_context_size + 1, num_channels], param_attr)

    def forward(self, input: BaseVariable) -> BaseVariable:
        """input: a LoDTensor [total length, width], or [N, length, width]."""
        return row_conv(input, self.weight, self._act)
