"""Convolutions over the steps of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.layers.shape import concat, squeeze, unsqueeze
from refluid.nn.container import LayerList
from refluid.nn.conv import Conv2D
from refluid.nn.layer import Layer
from refluid.nn.pool import Pool2D
from refluid.params.attr import AttrLike

if TYPE_CHECKING:
    from refluid.core.types import Ints
    from refluid.ir.base_variable import BaseVariable


class Conv1dPoolLayer(Layer):
    """A convolution over time and a pooling after it: [batch, channels, steps] to [batch, filters, fewer steps].

    Args:
        num_channels, num_filters: before and after.
        filter_size, pool_size: how many steps they cover.
        conv_stride, pool_stride, conv_padding, pool_padding, dilation, groups: in steps, as those of Conv2D and Pool2D.
        global_pooling: over all steps.
        act: the activation of the convolution.
    """

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: int,
        pool_size: int,
        conv_stride: int = 1,
        pool_stride: int = 1,
        conv_padding: int = 0,
        pool_padding: int = 0,
        act: str | None = None,
        pool_type: str = "max",
        global_pooling: bool = False,
        dilation: int = 1,
        groups: int | None = None,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        use_cudnn: bool = False,
    ):
        super().__init__()
        self._conv2d = Conv2D(
            num_channels, num_filters, (filter_size, 1), (conv_stride, 1), (conv_padding, 0), (dilation, 1),
            groups or 1, param_attr, bias_attr, use_cudnn, act,
        )  # fmt: skip
        self._pool2d = Pool2D((pool_size, 1), pool_type, (pool_stride, 1), (pool_padding, 0), global_pooling, use_cudnn)

    def forward(self, input: BaseVariable) -> BaseVariable:
        return squeeze(self._pool2d(self._conv2d(unsqueeze(input, axes=[3]))), axes=[3])


class CNNEncoder(Layer):
    """Parallel Conv1dPoolLayers, whose outputs are concatenated along the channels.

    Arguments are those of Conv1dPoolLayer, each one for all layers or a list of one for each.
    """

    def __init__(
        self,
        num_channels: Ints,
        num_filters: Ints,
        filter_size: Ints,
        pool_size: Ints,
        num_layers: int = 1,
        conv_stride: Ints = 1,
        pool_stride: Ints = 1,
        conv_padding: Ints = 0,
        pool_padding: Ints = 0,
        act: Any = None,
        pool_type: str | Sequence[str] = "max",
        global_pooling: bool | Sequence[bool] = False,
        use_cudnn: bool = False,
    ):
        super().__init__()
        settings = {
            "num_channels": num_channels, "num_filters": num_filters, "filter_size": filter_size,
            "pool_size": pool_size, "conv_stride": conv_stride, "pool_stride": pool_stride,
            "conv_padding": conv_padding, "pool_padding": pool_padding, "act": act,
            "pool_type": pool_type, "global_pooling": global_pooling,
        }  # fmt: skip
        for name, value in settings.items():
            if isinstance(value, list | tuple) and len(value) != num_layers:
                raise ArgumentError(f"CNNEncoder: {name} must have one value or {num_layers}, got {list(value)}")
        self.conv1d_pool_layers = LayerList(
            [
                Conv1dPoolLayer(
                    **{
                        name: value[i] if isinstance(value, list | tuple) else value for name, value in settings.items()
                    },
                    use_cudnn=use_cudnn,
                )
                for i in range(num_layers)
            ]
        )

    def forward(self, input: BaseVariable) -> BaseVariable:
        return concat([layer(input) for layer in self.conv1d_pool_layers], axis=1)
