"""RowConv with its channels said."""

from __future__ import annotations

from typing import Any

from refluid.alpha.common import need_weight
from refluid.alpha.nn.functional import row_conv
from refluid.nn.layer import Layer


class RowConv(Layer):
    """Every step becomes a weighted sum of itself and the next future_context_size steps (Amodei et al., 2015).

    Args:
        num_channels: the width of a step.
        act: the name of an activation.
    """

    def __init__(self, num_channels: int, future_context_size: int, param_attr: Any = None, act: Any = None,
                 dtype: Any = "float32"):  # fmt: skip
        super().__init__(dtype=dtype)
        need_weight("RowConv", param_attr)
        self._act = act
        self.weight = self.create_parameter([future_context_size + 1, num_channels], param_attr)

    def forward(self, input: Any) -> Any:
        """input: a LoDTensor [total length, width], or [N, length, width]."""
        return row_conv(input, self.weight, self._act)
