"""Conv2DTranspose and Conv3DTranspose in the spellings of 1.5 and 1.7."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.layers.common import activate, pair
from refluid.layers.conv import check_channels, split_padding, window_of
from refluid.layers.conv_transpose import window_for
from refluid.nn.conv import channels_of_input, keep_channels_last
from refluid.nn.generations import bind, need, scoped_name, take_scope
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.ops.math.elementwise import elementwise_add

_COMMON = "padding stride dilation groups param_attr bias_attr use_cudnn act"


class _ConvTranspose(Layer):
    """What transposed convolutions of images and volumes share."""

    _rank = 2
    _format = "NCHW"
    _order = f"num_channels num_filters filter_size output_size {_COMMON} dtype"
    _order_15 = f"num_filters output_size filter_size {_COMMON} name dtype num_channels"

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        given = {
            "output_size": None, "padding": 0, "stride": 1, "dilation": 1, "groups": None, "param_attr": None,
            "bias_attr": None, "use_cudnn": True, "act": None, "dtype": "float32", "num_channels": None,
            **bind(self._order if scope is None else self._order_15, args, kwargs, type(self)),
        }  # fmt: skip
        need(type(self), given, "num_filters", *(("num_channels", "filter_size") if scope is None else ()))
        if given.get("filter_size") is None and given["output_size"] is None:
            raise ArgumentError(f"{type(self).__name__}: filter_size or output_size must be given")
        super().__init__(dtype=given["dtype"])
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        rank = self._rank
        size = given.get("filter_size")
        self._num_filters = given["num_filters"]
        self._filter_size = None if size is None else window_of(type(self).__name__, size, rank)
        self._stride, self._dilation = pair(given["stride"], rank), pair(given["dilation"], rank)
        padding = given["padding"]
        self._padding = padding if isinstance(padding, str) else pair(padding, rank)
        self._output_size = [] if given["output_size"] is None else pair(given["output_size"], rank)
        self._groups = 1 if given["groups"] is None else given["groups"]
        self._act, self._use_cudnn = given["act"], given["use_cudnn"]
        self._param_attr, self._bias_attr = given["param_attr"], given["bias_attr"]
        self._num_channels = given["num_channels"]
        if self._num_channels is not None and self._filter_size is not None:
            self._make_parameters(self._num_channels, self._filter_size)

    def _make_parameters(self, channels: int, size: list[int]) -> None:
        check_channels(type(self).__name__, channels, self._num_filters, self._groups)
        self._num_channels, self._filter_size = channels, size
        shape = [channels, self._num_filters // self._groups, *size]
        self.weight = keep_channels_last(self.create_parameter(shape, self._param_attr))
        self.bias = self.create_parameter([self._num_filters], self._bias_attr, is_bias=True)

    def _build_once(self, input: Any) -> None:
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

    def forward(self, input: Any) -> Any:
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
    """The gradient of a convolution as a layer: it enlarges images [N, C, H, W].

    1.7: Conv2DTranspose(num_channels, num_filters, filter_size, output_size=None, padding=0, stride=1, dilation=1,
         groups=None, param_attr=None, bias_attr=None, use_cudnn=True, act=None, dtype='float32')
    1.5: Conv2DTranspose(name_scope, num_filters, output_size=None, filter_size=..., ...); channels are taken from the
         first input, and the size of the filter too where output_size alone is given
    """


class Conv3DTranspose(_ConvTranspose):
    """Enlarges volumes [N, C, D, H, W]; as Conv2DTranspose, without an output_size in 1.7."""

    _rank = 3
    _format = "NCDHW"
    _order = f"num_channels num_filters filter_size {_COMMON} dtype"
