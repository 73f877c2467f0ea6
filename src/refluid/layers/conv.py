"""Convolutions."""

from __future__ import annotations

import math
from typing import cast

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable, positive
from refluid.layers.common import Padding, activate, add_bias, pair
from refluid.ops import registry
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter
from refluid.params.initializer import Normal


def conv2d(
    input: BaseVariable,
    num_filters: int,
    filter_size: Ints,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int | None = None,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> BaseVariable:
    """2-D convolution (cross-correlation) of images: act(sum over channels of input * weight + bias).

    Args:
        input: a float variable [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        num_filters: the number of output channels.
        filter_size: the size of the filter window, an int or [height, width].
        stride: the step of the window, an int or [height, width].
        padding: the zero padding: an int, [height, width], [top, bottom, left, right], a pair per axis, "SAME" or
            "VALID".
        dilation: the distance of the filter's elements, an int or [height, width].
        groups: input and output channels are divided into this many groups, each with filters of its own; None for 1.
        param_attr: settings of the weight [num_filters, C / groups, height, width].
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: False turns a convolution with one channel per group into the operator depthwise_conv2d.
        act: the name of an activation, "relu" for example.
        data_format: "NCHW" or "NHWC".

    Returns:
        A variable [N, num_filters, H', W'] (channels last with "NHWC"), where
        H' = (H + 2 * padding - dilation * (height - 1) - 1) // stride + 1, and W' likewise.

    Example:
        >>> image = fluid.data("image", [None, 3, 32, 32])
        >>> fluid.layers.conv2d(image, num_filters=16, filter_size=3, padding=1, act="relu").shape
        (-1, 16, 32, 32)
    """
    return _conv(2, input, num_filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr,
                 use_cudnn, act, name, data_format)  # fmt: skip


def conv3d(
    input: BaseVariable,
    num_filters: int,
    filter_size: Ints,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int | None = None,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> BaseVariable:
    """3-D convolution (cross-correlation) of volumes: act(sum over channels of input * weight + bias).

    Args:
        input: a float variable [N, C, D, H, W], or [N, D, H, W, C] with data_format="NDHWC".
        num_filters: the number of output channels.
        filter_size: the size of the filter window, an int or [depth, height, width].
        stride: the step of the window, an int or one per axis.
        padding: the zero padding: an int, one per axis, one per side of every axis, a pair per axis, "SAME" or "VALID".
        dilation: the distance of the filter's elements, an int or one per axis.
        groups: input and output channels are divided into this many groups, each with filters of its own; None for 1.
        param_attr: settings of the weight [num_filters, C / groups, depth, height, width].
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: kept as an attribute of the operator; no effect.
        act: the name of an activation, "relu" for example.
        data_format: "NCDHW" or "NDHWC".

    Returns:
        A variable [N, num_filters, D', H', W'] (channels last with "NDHWC"); the sizes as conv2d has them.

    Example:
        >>> volume = fluid.data("volume", [None, 3, 8, 16, 16])
        >>> fluid.layers.conv3d(volume, num_filters=4, filter_size=3, stride=2, padding=1).shape
        (-1, 4, 4, 8, 8)
    """
    return _conv(3, input, num_filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr,
                 use_cudnn, act, name, data_format)  # fmt: skip


def _conv(rank: int, input: BaseVariable, num_filters: int, filter_size: Ints, stride: Ints, padding: Padding,
dilation: Ints,
          groups: int | None, param_attr: AttrLike, bias_attr: AttrLike, use_cudnn: bool, act: str | None, name: str |
              None,
          data_format: str) -> BaseVariable:  # fmt: skip
    kind = f"conv{rank}d"
    need_variable(f"{kind}: input", input)
    channel_axis, channels = channels_of(kind, rank, input, data_format)
    groups = 1 if groups is None else groups
    check_channels(kind, channels, num_filters, groups)
    size = window_of(kind, filter_size, rank)
    op_type = kind
    if rank == 2 and channels == groups and num_filters % channels == 0 and not use_cudnn:
        op_type = "depthwise_conv2d"  # Fluid names it so where its own kernel would run
    layer = LayerName(op_type, name)
    weight = make_parameter(
        param_attr, [num_filters, channels // groups, *size], input.dtype, layer=layer,
        default=filter_initializer(channels, size),
    )  # fmt: skip
    out = convolve(op_type, rank, layer, input, weight, padding, stride, dilation, groups, use_cudnn, data_format)
    return activate(add_bias(out, bias_attr, layer, num_filters, axis=channel_axis), act, layer)


def convolve(op_type: str, rank: int, layer: LayerName, input: BaseVariable, weight: BaseVariable, padding: Padding,
             stride: Ints, dilation: Ints, groups: int, use_cudnn: bool, data_format: str) -> BaseVariable:  # fmt: skip
    """Call an operator that convolves."""
    paddings, algorithm = split_padding(f"conv{rank}d", padding, rank, data_format)
    return registry.get(op_type)(
        input, weight, name=layer, strides=pair(stride, rank), paddings=paddings, dilations=pair(dilation, rank),
        groups=groups, use_cudnn=use_cudnn, use_mkldnn=False, fuse_relu_before_depthwise_conv=False,
        padding_algorithm=algorithm, data_format=data_format,
    )  # fmt: skip


def filter_initializer(channels: int, size: list[int]) -> Normal:
    """Fluid's default: Gaussian with variance 2 / (window * input channels)."""
    return Normal(0.0, math.sqrt(2.0 / (math.prod(size) * channels)), 0)


def channels_of(kind: str, rank: int, input: BaseVariable, data_format: str) -> tuple[int, int]:
    """(the axis of the channels of an input of a convolution, their number)."""
    axis = channel_axis_of(kind, data_format, rank)
    if len(input.shape) != rank + 2:
        raise ShapeError(f"{kind}: input must have {rank + 2} axes, got {input.name} {list(input.shape)}")
    return axis, input.shape[axis]


def channel_axis_of(kind: str, data_format: str, rank: int) -> int:
    known = {2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}[rank]
    if data_format not in known:
        raise ArgumentError(f"{kind}: data_format must be {known[0]!r} or {known[1]!r}, got {data_format!r}")
    return 1 if data_format == known[0] else rank + 1


def window_of(kind: str, filter_size: Ints, rank: int) -> list[int]:
    """The sizes of a filter, from one for all axes or a list."""
    sizes = pair(filter_size, rank)
    if len(sizes) != rank:
        raise ArgumentError(f"{kind}: filter_size must be one int or a list of {rank}, got {filter_size!r}")
    return [positive(f"{kind}: filter_size", size) for size in sizes]


def check_channels(kind: str, channels: int, num_filters: int, groups: int) -> None:
    if channels == -1:
        raise ShapeError(f"{kind}: the number of input channels must be known while building")
    positive(f"{kind}: num_channels", channels)
    positive(f"{kind}: num_filters", num_filters)
    if groups <= 0 or channels % groups or num_filters % groups:
        raise ShapeError(f"{kind}: groups={groups} must divide the {channels} channels and {num_filters} filters")


def split_padding(kind: str, padding: Padding, rank: int, data_format: str) -> tuple[list[int], str]:
    """Fluid's paddings as (numbers, algorithm)."""
    if isinstance(padding, str):
        algorithm = padding.upper()
        if algorithm not in ("SAME", "VALID"):
            raise ArgumentError(f"{kind}: padding must be numbers, 'SAME' or 'VALID', got {padding!r}")
        return [0] * rank, algorithm
    if isinstance(padding, list | tuple) and padding and isinstance(padding[0], list | tuple):
        pairs = [list(p) for p in padding]
        if len(pairs) == rank + 2:  # one pair per axis of the tensor: batch and channels must be 0
            pairs = pairs[2:] if data_format in ("NCHW", "NCDHW") else pairs[1:-1]
        if len(pairs) != rank:
            raise ArgumentError(f"{kind}: padding must have a pair per axis, got {padding!r}")
        flat = [n for p in pairs for n in p]
    else:
        flat = pair(cast(Ints, padding), rank)
    if len(flat) == 2 * rank and all(flat[2 * i] == flat[2 * i + 1] for i in range(rank)):
        flat = flat[::2]
    if len(flat) not in (rank, 2 * rank):
        raise ArgumentError(f"{kind}: padding must have {rank} or {2 * rank} numbers, got {padding!r}")
    return flat, "EXPLICIT"
