"""Linear-chain conditional random fields as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.core.errors import ArgumentError
from refluid.core.types import Dtype
from refluid.hapi.text.shared import check_sizes
from refluid.nn.layer import Layer
from refluid.ops.sequence.crf_decoding import crf_decoding
from refluid.ops.sequence.linear_chain_crf import linear_chain_crf
from refluid.params.attr import AttrLike

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class LinearChainCRF(Layer):
    """The cost of tag sequences; its mean is a loss.

    Args:
        size: the number of tags.
        param_attr: settings of the weight [size + 2, size]: start, end and transition scores.
    """

    def __init__(self, size: int, param_attr: AttrLike = None, dtype: Dtype = "float32"):
        super().__init__(dtype=dtype)
        check_sizes(self, size=size)
        self.weight = self.create_parameter([size + 2, size], param_attr)

    def forward(self, input: BaseVariable, label: BaseVariable, length: BaseVariable | None = None) -> BaseVariable:
        """[sequences, 1]: the negative log likelihood of the tags.

        Args:
            input: the emission scores, [batch, steps, size], or rows with a LoD.
            label: int64 [batch, steps] or [batch, steps, 1], or rows.
            length: int64 [batch] or [batch, 1], the lengths of padded sequences.
        """
        _check_length(self, input, length)
        return linear_chain_crf(input, self.weight, label, length, name=self.layer_name)[3]


class CRFDecoding(Layer):
    """The most probable tags; set its `weight` to that of the LinearChainCRF that was trained.

    Args:
        size, param_attr: those of the LinearChainCRF.
    """

    def __init__(self, size: int, param_attr: AttrLike = None, dtype: Dtype = "float32"):
        super().__init__(dtype=dtype)
        check_sizes(self, size=size)
        self.weight = self.create_parameter([size + 2, size], param_attr)

    def forward(
        self, input: BaseVariable, length: BaseVariable | None = None, label: BaseVariable | None = None
    ) -> BaseVariable:
        """int64 [batch, steps]: the best tags, 0 for padding; with label, 1 where they match it and 0 elsewhere."""
        _check_length(self, input, length)
        return crf_decoding(input, self.weight, label, length, name=self.layer_name)


def _check_length(layer: Layer, input: BaseVariable, length: BaseVariable | None) -> None:
    if length is None and len(input.shape) == 3:
        raise ArgumentError(
            f"{type(layer).__name__}: padded sequences {list(input.shape)} need their length, int64 [batch], got None"
        )
