"""Conv2D and Conv3D."""

from __future__ import annotations

from typing import Any, cast

from refluid.core.errors import ShapeError
from refluid.core.generations import generations, older
from refluid.core.layout import as_channels_last
from refluid.core.mode import per_mode
from refluid.core.types import Dtype, Ints
from refluid.eager.variable import VarBase
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import Padding, activate_own, pair
from refluid.layers.conv import check_channels, filter_initializer, split_padding, window_of
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.registry import OpDef
from refluid.params.attr import AttrLike


class _Conv(Layer):
    """What convolutions of images and volumes share."""

    _rank = 2
    _format = "NCHW"

    @generations
    def __init__(
        self, num_channels: int, num_filters: int, filter_size: Ints, stride: Ints = 1, padding: Padding = 0,
        dilation: Ints = 1, groups: int | None = None, param_attr: AttrLike = None, bias_attr: AttrLike = None,
        use_cudnn: bool = True, act: str | None = None, dtype: Dtype = "float32",
    ):  # fmt: skip
        super().__init__(dtype=dtype)
        self._set_up(num_filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr, use_cudnn, act)
        self._make_parameters(num_channels)

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(
        self, name_scope: str, num_filters: int, filter_size: Ints, stride: Ints = 1, padding: Padding = 0,
        dilation: Ints = 1, groups: int | None = None, param_attr: AttrLike = None, bias_attr: AttrLike = None,
        use_cudnn: bool = True, act: str | None = None, dtype: Dtype = "float32", num_channels: int | None = None,
    ) -> None:  # fmt: skip
        """The channels are those of the first input. 1.4 names `num_channels`."""
        super().__init__(in_scope(name_scope, self), dtype)
        self._set_up(num_filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr, use_cudnn, act)
        if num_channels is not None:
            self._make_parameters(num_channels)

    def _set_up(
        self, num_filters: int, filter_size: Ints, stride: Ints, padding: Padding, dilation: Ints, groups: int | None,
        param_attr: AttrLike, bias_attr: AttrLike, use_cudnn: bool, act: str | None,
    ) -> None:  # fmt: skip
        rank = self._rank
        self._num_channels: int | None = None
        self._num_filters = num_filters
        self._filter_size = window_of(type(self).__name__, filter_size, rank)
        self._stride, self._dilation = pair(stride, rank), pair(dilation, rank)
        self._groups = 1 if groups is None else groups
        self._padding = padding if isinstance(padding, str) else pair(cast(Ints, padding), rank)
        self._act, self._use_cudnn = act, use_cudnn
        self._param_attr, self._bias_attr = param_attr, bias_attr

    def _make_parameters(self, channels: int) -> None:
        check_channels(type(self).__name__, channels, self._num_filters, self._groups)
        self._num_channels = channels
        shape = [self._num_filters, channels // self._groups, *self._filter_size]
        default = filter_initializer(channels, self._filter_size)
        self.weight = keep_channels_last(
            self.create_parameter(shape, self._param_attr, self._dtype, default_initializer=default)
        )
        self.bias = self.create_parameter([self._num_filters], self._bias_attr, self._dtype, is_bias=True)

    def _build_once(self, input: BaseVariable) -> None:
        if self._num_channels is None:
            self._make_parameters(channels_of_input(self, input))

    @property
    def _filter_param(self) -> BaseVariable:
        """1.5's name of the weight."""
        return self.weight

    @property
    def _bias_param(self) -> BaseVariable | None:
        return self.bias

    @property
    def _l_type(self) -> str:
        """The operator that it calls."""
        depthwise = self._num_channels == self._groups and self._num_filters % self._groups == 0
        return "depthwise_conv2d" if self._rank == 2 and depthwise and not self._use_cudnn else f"conv{self._rank}d"

    def forward(self, input: BaseVariable) -> BaseVariable:
        layer = self.layer_name
        paddings, algorithm = split_padding(type(self).__name__, self._padding, self._rank, self._format)
        attrs = {"strides": self._stride, "paddings": paddings, "dilations": self._dilation, "groups": self._groups,
                 "padding_algorithm": algorithm}  # fmt: skip
        out = _convolve(registry.get(self._l_type), self, input, attrs)
        return activate_own(out, self._act, layer)


@per_mode
def _convolve(op: OpDef, layer: _Conv, x: BaseVariable, attrs: dict[str, Any]) -> BaseVariable:
    out = op(x, layer.weight, name=layer.layer_name, **attrs, use_cudnn=layer._use_cudnn, use_mkldnn=False)
    return out if layer.bias is None else elementwise_add(out, layer.bias, axis=1, name=layer.layer_name)


@_convolve.imperative
def _convolve_and_add(op: OpDef, layer: _Conv, x: BaseVariable, attrs: dict[str, Any]) -> BaseVariable:
    return op(x, layer.weight, layer.bias, **attrs)


_convolve.tracing(_convolve.recorded)


class Conv2D(_Conv):
    """Convolution of images [N, C, H, W].

    Args:
        num_channels: the number of input channels C.
        num_filters: the number of output channels.
        filter_size: a number, or one per spatial axis.
        stride: a number, or one per spatial axis.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately; 1 if None.
        param_attr: settings of the weight [num_filters, C / groups, height, width].
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation, "relu" for example; None for none.
        dtype: the dtype of the parameters.

    Example:
        >>> with fluid.dygraph.guard():
        ...     conv = fluid.dygraph.Conv2D(num_channels=3, num_filters=8, filter_size=3, padding=1, act="relu")
        ...     conv(fluid.dygraph.to_variable(np.ones((2, 3, 16, 16), "float32"))).shape
        [2, 8, 16, 16]
    """


class Conv3D(_Conv):
    """Convolution of volumes [N, C, D, H, W].

    Args:
        num_channels: the number of input channels C.
        num_filters: the number of output channels.
        filter_size: a number, or one per spatial axis.
        stride: a number, or one per spatial axis.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately; 1 if None.
        param_attr: settings of the weight [num_filters, C / groups, depth, height, width].
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation, "relu" for example; None for none.
        dtype: the dtype of the parameters.
    """

    _rank = 3
    _format = "NCDHW"


def channels_of_input(layer: Layer, input: BaseVariable) -> int:
    """The channels of [N, C, ...], for a layer that takes them from its first input."""
    if len(input.shape) < 2:
        raise ShapeError(f"{type(layer).__name__}: the input must be [N, C, ...], got {list(input.shape)}")
    return input.shape[1]


def keep_channels_last(weight: BaseVariable) -> BaseVariable:
    """Lay a filter out as convolutions like it; see executor/passes/layout.py, which does so for programs."""
    if isinstance(weight, VarBase) and weight._t.dim() == 4:
        weight._t = as_channels_last(weight._t)
    return weight
