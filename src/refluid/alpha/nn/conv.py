"""Conv2D, Conv3D and their transposes as 2.0-alpha spells them: padding before stride, and channels last if wanted."""

from __future__ import annotations

from typing import Any

from refluid.alpha.common import need_weight
from refluid.alpha.nn.convolution import convolve, convolve_back
from refluid.layers.common import pair
from refluid.layers.conv import channel_axis_of, check_channels, filter_initializer, window_of
from refluid.nn.conv import keep_channels_last
from refluid.nn.layer import Layer


class _Conv(Layer):
    """What all convolutions share."""

    _rank = 2

    def _set_up(self, num_channels: int, num_filters: int, filter_size: Any, padding: Any, stride: Any, dilation: Any,
                groups: int | None, param_attr: Any, bias_attr: Any, use_cudnn: bool, act: Any,
                data_format: str) -> None:  # fmt: skip
        rank, kind = self._rank, type(self).__name__
        need_weight(kind, param_attr)
        channel_axis_of(kind, data_format, rank)
        self._num_channels, self._num_filters = num_channels, num_filters
        self._filter_size = window_of(kind, filter_size, rank)
        self._padding = padding if isinstance(padding, str) else pair(padding, rank)
        self._stride, self._dilation = pair(stride, rank), pair(dilation, rank)
        self._groups = 1 if groups is None else groups
        self._param_attr, self._bias_attr, self._use_cudnn = param_attr, bias_attr, use_cudnn
        self._act, self._data_format = act, data_format
        check_channels(kind, num_channels, num_filters, self._groups)
        self.weight = keep_channels_last(self._make_weight())
        self.bias = self.create_parameter([num_filters], bias_attr, is_bias=True)

    def _make_weight(self) -> Any:
        shape = [self._num_filters, self._num_channels // self._groups, *self._filter_size]
        default = filter_initializer(self._num_channels, self._filter_size)
        return self.create_parameter(shape, self._param_attr, default_initializer=default)

    def forward(self, input: Any) -> Any:
        return convolve(
            self._rank, self.layer_name, input, self.weight, self.bias, self._padding, self._stride, self._dilation,
            self._groups, self._use_cudnn, self._act, self._data_format,
        )  # fmt: skip


class _ConvTranspose(_Conv):
    _output_size: Any = None

    def _make_weight(self) -> Any:
        shape = [self._num_channels, self._num_filters // self._groups, *self._filter_size]
        return self.create_parameter(shape, self._param_attr)

    def forward(self, input: Any) -> Any:
        return convolve_back(
            self._rank, self.layer_name, input, self.weight, self.bias, self._output_size, self._padding, self._stride,
            self._dilation, self._groups, self._use_cudnn, self._act, self._data_format,
        )  # fmt: skip


class Conv2D(_Conv):
    """Convolution of images [N, C, H, W], or [N, H, W, C] with data_format="NHWC".

    Args:
        num_channels, num_filters: channels before and after.
        filter_size, stride, dilation: a number or [height, width].
        padding: a number, [height, width], [top, bottom, left, right], a pair per axis, "SAME" or "VALID".
        groups: input and output channels fall into this many groups that do not see each other.
        bias_attr: False for no bias.
        act: the name of an activation.
    """

    def __init__(self, num_channels: int, num_filters: int, filter_size: Any, padding: Any = 0, stride: Any = 1,
                 dilation: Any = 1, groups: int | None = 1, param_attr: Any = None, bias_attr: Any = None,
                 use_cudnn: bool = True, act: Any = None, data_format: str = "NCHW",
                 dtype: Any = "float32"):  # fmt: skip
        super().__init__(dtype=dtype)
        self._set_up(num_channels, num_filters, filter_size, padding, stride, dilation, groups, param_attr, bias_attr,
                     use_cudnn, act, data_format)  # fmt: skip


class Conv3D(_Conv):
    """Convolution of volumes [N, C, D, H, W]; arguments as those of Conv2D."""

    _rank = 3

    def __init__(self, num_channels: int, num_filters: int, filter_size: Any, padding: Any = 0, stride: Any = 1,
                 dilation: Any = 1, groups: int | None = 1, param_attr: Any = None, bias_attr: Any = None,
                 use_cudnn: bool = True, act: Any = None, data_format: str = "NCDHW",
                 dtype: Any = "float32"):  # fmt: skip
        super().__init__(dtype=dtype)
        self._set_up(num_channels, num_filters, filter_size, padding, stride, dilation, groups, param_attr, bias_attr,
                     use_cudnn, act, data_format)  # fmt: skip


class Conv2DTranspose(_ConvTranspose):
    """Enlarges images: the gradient of a convolution as a layer. Arguments as those of Conv2D, and

    output_size: a number or [height, width], where the strides leave more than one possible.
    """

    def __init__(self, num_channels: int, num_filters: int, filter_size: Any, output_size: Any = None,
                 padding: Any = 0, stride: Any = 1, dilation: Any = 1, groups: int | None = 1, param_attr: Any = None,
                 bias_attr: Any = None, use_cudnn: bool = True, act: Any = None, data_format: str = "NCHW",
                 dtype: Any = "float32"):  # fmt: skip
        super().__init__(dtype=dtype)
        self._output_size = output_size
        self._set_up(num_channels, num_filters, filter_size, padding, stride, dilation, groups, param_attr, bias_attr,
                     use_cudnn, act, data_format)  # fmt: skip


class Conv3DTranspose(_ConvTranspose):
    """Enlarges volumes; arguments as those of Conv2DTranspose."""

    _rank = 3

    def __init__(self, num_channels: int, num_filters: int, filter_size: Any, output_size: Any = None,
                 padding: Any = 0, stride: Any = 1, dilation: Any = 1, groups: int | None = 1, param_attr: Any = None,
                 bias_attr: Any = None, use_cudnn: bool = True, act: Any = None, data_format: str = "NCDHW",
                 dtype: Any = "float32"):  # fmt: skip
        super().__init__(dtype=dtype)
        self._output_size = output_size
        self._set_up(num_channels, num_filters, filter_size, padding, stride, dilation, groups, param_attr, bias_attr,
                     use_cudnn, act, data_format)  # fmt: skip
