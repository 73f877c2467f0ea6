"""Conv2D and Conv3D in the spellings of 1.4, 1.5 and 1.7."""

from __future__ import annotations

from typing import Any

from refluid.core import mode
from refluid.core.errors import ShapeError
from refluid.core.layout import as_channels_last
from refluid.eager.variable import VarBase
from refluid.layers.common import activate, activate_own, pair
from refluid.layers.conv import check_channels, filter_initializer, split_padding, window_of
from refluid.nn.generations import bind, need, scoped_name, take_scope
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.ops.math.elementwise import elementwise_add

_SETTINGS = (
    "num_filters filter_size stride padding dilation groups param_attr bias_attr use_cudnn act dtype num_channels"
)


class _Conv(Layer):
    """What convolutions of images and volumes share."""

    _rank = 2
    _format = "NCHW"

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        order = _SETTINGS if scope is not None else "num_channels " + _SETTINGS.removesuffix(" num_channels")
        given = {
            "stride": 1, "padding": 0, "dilation": 1, "groups": None, "param_attr": None, "bias_attr": None,
            "use_cudnn": True, "act": None, "dtype": "float32", "num_channels": None,
            **bind(order, args, kwargs, type(self)),
        }  # fmt: skip
        need(type(self), given, "num_filters", "filter_size", *(("num_channels",) if scope is None else ()))
        super().__init__(dtype=given["dtype"])
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        rank = self._rank
        self._num_filters = given["num_filters"]
        self._filter_size = window_of(type(self).__name__, given["filter_size"], rank)
        self._stride, self._dilation = pair(given["stride"], rank), pair(given["dilation"], rank)
        self._groups = 1 if given["groups"] is None else given["groups"]
        padding = given["padding"]
        self._padding = padding if isinstance(padding, str) else pair(padding, rank)
        self._act, self._use_cudnn = given["act"], given["use_cudnn"]
        self._param_attr, self._bias_attr = given["param_attr"], given["bias_attr"]
        self._num_channels = given["num_channels"]
        if self._num_channels is not None:
            self._make_parameters(self._num_channels)

    def _make_parameters(self, channels: int) -> None:
        check_channels(type(self).__name__, channels, self._num_filters, self._groups)
        self._num_channels = channels
        shape = [self._num_filters, channels // self._groups, *self._filter_size]
        default = filter_initializer(channels, self._filter_size)
        self.weight = keep_channels_last(
            self.create_parameter(shape, self._param_attr, self._dtype, default_initializer=default)
        )
        self.bias = self.create_parameter([self._num_filters], self._bias_attr, self._dtype, is_bias=True)

    def _build_once(self, input: Any) -> None:
        if self._num_channels is None:
            self._make_parameters(channels_of_input(self, input))

    @property
    def _filter_param(self) -> Any:
        """1.5's name of the weight."""
        return self.weight

    @property
    def _bias_param(self) -> Any:
        return self.bias

    @property
    def _l_type(self) -> str:
        """The operator that it calls."""
        depthwise = self._num_channels == self._groups and self._num_filters % self._groups == 0
        return "depthwise_conv2d" if self._rank == 2 and depthwise and not self._use_cudnn else f"conv{self._rank}d"

    def forward(self, input: Any) -> Any:
        layer = self.layer_name
        paddings, algorithm = split_padding(type(self).__name__, self._padding, self._rank, self._format)
        if mode.current.fuses:
            out = registry.get(self._l_type)(
                input, self.weight, self.bias, strides=self._stride, paddings=paddings, dilations=self._dilation,
                groups=self._groups, padding_algorithm=algorithm,
            )  # fmt: skip
            return activate_own(out, self._act, layer)
        out = registry.get(self._l_type)(
            input, self.weight, name=layer, strides=self._stride, paddings=paddings, dilations=self._dilation,
            groups=self._groups, padding_algorithm=algorithm, use_cudnn=self._use_cudnn, use_mkldnn=False,
        )  # fmt: skip
        if self.bias is not None:
            out = elementwise_add(out, self.bias, axis=1, name=layer)
        return activate(out, self._act, layer)


class Conv2D(_Conv):
    """Convolution of images [N, C, H, W].

    Three generations of arguments:
        1.7: Conv2D(num_channels, num_filters, filter_size, stride=1, padding=0, dilation=1, groups=None,
             param_attr=None, bias_attr=None, use_cudnn=True, act=None, dtype='float32')
        1.5: Conv2D(name_scope, num_filters, filter_size, ...); channels are taken from the first input
        1.4: Conv2D(name_scope, num_channels=..., num_filters=..., filter_size=..., ...)
    """


class Conv3D(_Conv):
    """Convolution of volumes [N, C, D, H, W]; arguments as those of Conv2D."""

    _rank = 3
    _format = "NCDHW"


def channels_of_input(layer: Layer, input: Any) -> int:
    """The channels of [N, C, ...], for a layer that takes them from its first input."""
    if len(input.shape) < 2:
        raise ShapeError(f"{type(layer).__name__}: the input must be [N, C, ...], got {list(input.shape)}")
    return input.shape[1]


def keep_channels_last(weight: Any) -> Any:
    """Lay a filter out as convolutions like it; see executor/passes/layout.py, which does so for programs."""
    if isinstance(weight, VarBase) and weight._t.dim() == 4:
        weight._t = as_channels_last(weight._t)
    return weight
