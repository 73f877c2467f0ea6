"""Conv2D, Conv3D and their transposes as 2.0-alpha spells them: padding before stride, and channels last if wanted."""

from __future__ import annotations

from typing import cast

from refluid.alpha.common import need_weight
from refluid.alpha.nn.convolution import convolve, convolve_back
from refluid.core.types import Dtype, Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import Activation, Padding, pair
from refluid.layers.conv import channel_axis_of, check_channels, filter_initializer, window_of
from refluid.nn.conv import keep_channels_last
from refluid.nn.layer import Layer
from refluid.params.attr import AttrLike


class _Conv(Layer):
    """What all convolutions share."""

    _rank = 2

    def _set_up(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Ints,
        padding: Padding,
        stride: Ints,
        dilation: Ints,
        groups: int | None,
        param_attr: AttrLike,
        bias_attr: AttrLike,
        use_cudnn: bool,
        act: Activation,
        data_format: str,
    ) -> None:
        rank, kind = self._rank, type(self).__name__
        need_weight(kind, param_attr)
        channel_axis_of(kind, data_format, rank)
        self._num_channels, self._num_filters = num_channels, num_filters
        self._filter_size = window_of(kind, filter_size, rank)
        self._padding: Padding = padding if isinstance(padding, str) else pair(cast(Ints, padding), rank)
        self._stride, self._dilation = pair(stride, rank), pair(dilation, rank)
        self._groups = 1 if groups is None else groups
        self._param_attr, self._bias_attr, self._use_cudnn = param_attr, bias_attr, use_cudnn
        self._act, self._data_format = act, data_format
        check_channels(kind, num_channels, num_filters, self._groups)
        self.weight = keep_channels_last(self._make_weight())
        self.bias = self.create_parameter([num_filters], bias_attr, is_bias=True)

    def _make_weight(self) -> BaseVariable:
        shape = [self._num_filters, self._num_channels // self._groups, *self._filter_size]
        default = filter_initializer(self._num_channels, self._filter_size)
        return self.create_parameter(shape, self._param_attr, default_initializer=default)

    def forward(self, input: BaseVariable) -> BaseVariable:
        return convolve(
            self._rank, self.layer_name, input, self.weight, self.bias, self._padding, self._stride, self._dilation,
            self._groups, self._use_cudnn, self._act, self._data_format,
        )  # fmt: skip


class _ConvTranspose(_Conv):
    _output_size: Ints | None = None

    def _make_weight(self) -> BaseVariable:
        shape = [self._num_channels, self._num_filters // self._groups, *self._filter_size]
        return self.create_parameter(shape, self._param_attr)

    def forward(self, input: BaseVariable) -> BaseVariable:
        return convolve_back(
            self._rank, self.layer_name, input, self.weight, self.bias, self._output_size, self._padding, self._stride,
            self._dilation, self._groups, self._use_cudnn, self._act, self._data_format,
        )  # fmt: skip


class Conv2D(_Conv):
    """Convolution of images of shape [N, C, H, W], or [N, H, W, C] with data_format="NHWC".

    Args:
        num_channels: the number of input channels.
        num_filters: the number of output channels.
        filter_size: a number, or one per spatial axis.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        stride: a number, or one per spatial axis.
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately.
        param_attr: settings of the weight.
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation.
        data_format: the layout of the input, "NCHW" or "NHWC".
        dtype: the dtype of the parameters.
    """

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Ints,
        padding: Padding = 0,
        stride: Ints = 1,
        dilation: Ints = 1,
        groups: int | None = 1,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        use_cudnn: bool = True,
        act: Activation = None,
        data_format: str = "NCHW",
        dtype: Dtype = "float32",
    ):
        super().__init__(dtype=dtype)
        self._set_up(num_channels, num_filters, filter_size, padding, stride, dilation, groups, param_attr, bias_attr,
                     use_cudnn, act, data_format)  # fmt: skip


class Conv3D(_Conv):
    """Convolution of volumes of shape [N, C, D, H, W], or [N, D, H, W, C] with data_format="NDHWC".

    Args:
        num_channels: the number of input channels.
        num_filters: the number of output channels.
        filter_size: a number, or one per spatial axis.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        stride: a number, or one per spatial axis.
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately.
        param_attr: settings of the weight.
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation.
        data_format: the layout of the input, "NCDHW" or "NDHWC".
        dtype: the dtype of the parameters.
    """

    _rank = 3

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Ints,
        padding: Padding = 0,
        stride: Ints = 1,
        dilation: Ints = 1,
        groups: int | None = 1,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        use_cudnn: bool = True,
        act: Activation = None,
        data_format: str = "NCDHW",
        dtype: Dtype = "float32",
    ):
        super().__init__(dtype=dtype)
        self._set_up(num_channels, num_filters, filter_size, padding, stride, dilation, groups, param_attr, bias_attr,
                     use_cudnn, act, data_format)  # fmt: skip


class Conv2DTranspose(_ConvTranspose):
    """Transposed convolution of images, which upsamples.

    Args:
        num_channels: the number of input channels.
        num_filters: the number of output channels.
        filter_size: a number, or one per spatial axis.
        output_size: a number, or one per spatial axis, where the strides leave more than one size possible.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        stride: a number, or one per spatial axis.
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately.
        param_attr: settings of the weight.
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation.
        data_format: the layout of the input, "NCHW" or "NHWC".
        dtype: the dtype of the parameters.
    """

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Ints,
        output_size: Ints | None = None,
        padding: Padding = 0,
        stride: Ints = 1,
        dilation: Ints = 1,
        groups: int | None = 1,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        use_cudnn: bool = True,
        act: Activation = None,
        data_format: str = "NCHW",
        dtype: Dtype = "float32",
    ):
        super().__init__(dtype=dtype)
        self._output_size = output_size
        self._set_up(num_channels, num_filters, filter_size, padding, stride, dilation, groups, param_attr, bias_attr,
                     use_cudnn, act, data_format)  # fmt: skip


class Conv3DTranspose(_ConvTranspose):
    """Transposed convolution of volumes, which upsamples.

    Args:
        num_channels: the number of input channels.
        num_filters: the number of output channels.
        filter_size: a number, or one per spatial axis.
        output_size: a number, or one per spatial axis, where the strides leave more than one size possible.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        stride: a number, or one per spatial axis.
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately.
        param_attr: settings of the weight.
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation.
        data_format: the layout of the input, "NCDHW" or "NDHWC".
        dtype: the dtype of the parameters.
    """

    _rank = 3

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Ints,
        output_size: Ints | None = None,
        padding: Padding = 0,
        stride: Ints = 1,
        dilation: Ints = 1,
        groups: int | None = 1,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        use_cudnn: bool = True,
        act: Activation = None,
        data_format: str = "NCDHW",
        dtype: Dtype = "float32",
    ):
        super().__init__(dtype=dtype)
        self._output_size = output_size
        self._set_up(num_channels, num_filters, filter_size, padding, stride, dilation, groups, param_attr, bias_attr,
                     use_cudnn, act, data_format)  # fmt: skip
