"""Conv2DTranspose and Conv3DTranspose."""

from __future__ import annotations

from typing import cast

from refluid.core.errors import ArgumentError
from refluid.core.generations import generations, older
from refluid.core.types import Dtype, Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import Padding, activate, pair
from refluid.layers.conv import check_channels, split_padding, window_of
from refluid.layers.conv_transpose import window_for
from refluid.nn.conv import channels_of_input, keep_channels_last
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.ops.math.elementwise import elementwise_add
from refluid.params.attr import AttrLike


class _ConvTranspose(Layer):
    """What transposed convolutions of images and volumes share."""

    _rank = 2
    _format = "NCHW"

    @generations
    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Ints,
        output_size: Ints | None = None,
        padding: Padding = 0,
        stride: Ints = 1,
        dilation: Ints = 1,
        groups: int | None = None,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        use_cudnn: bool = True,
        act: str | None = None,
        dtype: Dtype = "float32",
    ):
        super().__init__(dtype=dtype)
        self._set_up(num_filters, filter_size, output_size, padding, stride, dilation, groups, param_attr, bias_attr,
                     use_cudnn, act)  # fmt: skip
        self._make_parameters(num_channels, window_of(type(self).__name__, filter_size, self._rank))

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(
        self,
        name_scope: str,
        num_filters: int,
        output_size: Ints | None = None,
        filter_size: Ints | None = None,
        padding: Padding = 0,
        stride: Ints = 1,
        dilation: Ints = 1,
        groups: int | None = None,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        use_cudnn: bool = True,
        act: str | None = None,
        name: str | None = None,
        dtype: Dtype = "float32",
        num_channels: int | None = None,
    ) -> None:
        """The channels are those of the first input; so is the size of the filter where output_size alone is given."""
        if filter_size is None and output_size is None:
            raise ArgumentError(f"{type(self).__name__}: filter_size or output_size must be given")
        super().__init__(in_scope(name_scope, self), dtype)
        self._set_up(num_filters, filter_size, output_size, padding, stride, dilation, groups, param_attr, bias_attr,
                     use_cudnn, act)  # fmt: skip
        if num_channels is not None and self._filter_size is not None:
            self._make_parameters(num_channels, self._filter_size)

    def _set_up(
        self,
        num_filters: int,
        filter_size: Ints | None,
        output_size: Ints | None,
        padding: Padding,
        stride: Ints,
        dilation: Ints,
        groups: int | None,
        param_attr: AttrLike,
        bias_attr: AttrLike,
        use_cudnn: bool,
        act: str | None,
    ) -> None:
        rank = self._rank
        self._num_channels: int | None = None
        self._num_filters = num_filters
        self._filter_size = None if filter_size is None else window_of(type(self).__name__, filter_size, rank)
        self._stride, self._dilation = pair(stride, rank), pair(dilation, rank)
        self._padding = padding if isinstance(padding, str) else pair(cast(Ints, padding), rank)
        self._output_size = [] if output_size is None else pair(output_size, rank)
        self._groups = 1 if groups is None else groups
        self._act, self._use_cudnn = act, use_cudnn
        self._param_attr, self._bias_attr = param_attr, bias_attr

    def _make_parameters(self, channels: int, size: list[int]) -> None:
        check_channels(type(self).__name__, channels, self._num_filters, self._groups)
        self._num_channels, self._filter_size = channels, size
        shape = [channels, self._num_filters // self._groups, *size]
        self.weight = keep_channels_last(self.create_parameter(shape, self._param_attr))
        self.bias = self.create_parameter([self._num_filters], self._bias_attr, is_bias=True)

    def _build_once(self, input: BaseVariable) -> None:
        size = self._filter_size
        if self._num_channels is not None and size is not None:
            return
        if size is None:
            paddings, _ = split_padding(type(self).__name__, self._padding, self._rank, self._format)
            size = window_for(type(self).__name__, list(input.shape[2:]), self._output_size, paddings, self._stride,
                              self._dilation)  # fmt: skip
        self._make_parameters(channels_of_input(self, input), size)

    @property
    def _op_type(self) -> str:
        depthwise = self._num_channels == self._groups == self._num_filters and not self._use_cudnn
        prefix = "depthwise_" if self._rank == 2 and depthwise else ""
        return f"{prefix}conv{self._rank}d_transpose"

    def forward(self, input: BaseVariable) -> BaseVariable:
        layer = self.layer_name
        paddings, algorithm = split_padding(type(self).__name__, self._padding, self._rank, self._format)
        out = registry.get(self._op_type)(
            input, self.weight, name=layer, output_size=self._output_size, strides=self._stride, paddings=paddings,
            padding_algorithm=algorithm, dilations=self._dilation, groups=self._groups, use_cudnn=self._use_cudnn,
        )  # fmt: skip
        if self.bias is not None:
            out = elementwise_add(out, self.bias, axis=1, name=layer)
        return activate(out, self._act, layer)


class Conv2DTranspose(_ConvTranspose):
    """Transposed convolution of images [N, C, H, W], which upsamples.

    Args:
        num_channels: the number of input channels C.
        num_filters: the number of output channels.
        filter_size: a number, or one per spatial axis.
        output_size: a number, or one per spatial axis, where the strides leave more than one size possible.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        stride: a number, or one per spatial axis.
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately; 1 if None.
        param_attr: settings of the weight [C, num_filters / groups, height, width].
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation, "relu" for example; None for none.
        dtype: the dtype of the parameters.
    """


class Conv3DTranspose(_ConvTranspose):
    """Transposed convolution of volumes [N, C, D, H, W], which upsamples.

    Args:
        num_channels: the number of input channels C.
        num_filters: the number of output channels.
        filter_size: a number, or one per spatial axis.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        stride: a number, or one per spatial axis.
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately; 1 if None.
        param_attr: settings of the weight [C, num_filters / groups, depth, height, width].
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation, "relu" for example; None for none.
        dtype: the dtype of the parameters.
    """

    _rank = 3
    _format = "NCDHW"

    @generations
    def __init__(
        self, num_channels: int, num_filters: int, filter_size: Ints, padding: Padding = 0, stride: Ints = 1,
        dilation: Ints = 1, groups: int | None = None, param_attr: AttrLike = None, bias_attr: AttrLike = None,
        use_cudnn: bool = True, act: str | None = None, dtype: Dtype = "float32",
    ):  # fmt: skip
        super().__init__(num_channels, num_filters, filter_size, None, padding, stride, dilation, groups, param_attr,
                         bias_attr, use_cudnn, act, dtype)  # fmt: skip

    older(__init__, before="1.7", when=name_scope_first)(_ConvTranspose._init_1_5)
