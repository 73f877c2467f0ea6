"""Convolutions."""

from __future__ import annotations

import math
from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.layers.common import activate, add_bias, pair
from refluid.layers.numbers import need_variable, positive
from refluid.ops import registry
from refluid.params.create import make_parameter
from refluid.params.initializer import Normal


def conv2d(
    input: Any,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: Any = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Any:
    """Convolution of images.

    Args:
        input: [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        num_filters: the number of output channels.
        filter_size, stride, dilation: a number or [height, width].
        padding: a number, [height, width], [top, bottom, left, right], a pair per axis, "SAME" or "VALID".
        groups: input and output channels fall into this many groups that do not see each other.
        bias_attr: False for no bias.
    """
    return _conv(2, input, num_filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr,
                 use_cudnn, act, name, data_format)  # fmt: skip


def conv3d(
    input: Any,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: Any = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Any:
    """Convolution of volumes; as conv2d with one axis more."""
    return _conv(3, input, num_filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr,
                 use_cudnn, act, name, data_format)  # fmt: skip


def _conv(rank: int, input: Any, num_filters: int, filter_size: Any, stride: Any, padding: Any, dilation: Any,
          groups: int | None, param_attr: Any, bias_attr: Any, use_cudnn: bool, act: Any, name: str | None,
          data_format: str) -> Any:  # fmt: skip
    kind = f"conv{rank}d"
    need_variable(f"{kind}: input", input)
    channel_axis = channel_axis_of(kind, data_format, rank)
    if len(input.shape) != rank + 2:
        raise ShapeError(f"{kind}: input must have {rank + 2} axes, got {input.name} {list(input.shape)}")
    channels = input.shape[channel_axis]
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
    paddings, algorithm = split_padding(kind, padding, rank, data_format)
    out = registry.get(op_type)(
        input, weight, name=layer, strides=pair(stride, rank), paddings=paddings, dilations=pair(dilation, rank),
        groups=groups, use_cudnn=use_cudnn, use_mkldnn=False, fuse_relu_before_depthwise_conv=False,
        padding_algorithm=algorithm, data_format=data_format,
    )  # fmt: skip
    return activate(add_bias(out, bias_attr, layer, num_filters, axis=channel_axis), act, layer)


def filter_initializer(channels: int, size: list[int]) -> Normal:
    """Fluid's default: Gaussian with variance 2 / (window * input channels)."""
    return Normal(0.0, math.sqrt(2.0 / (math.prod(size) * channels)), 0)


def channel_axis_of(kind: str, data_format: str, rank: int) -> int:
    known = {2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}[rank]
    if data_format not in known:
        raise ArgumentError(f"{kind}: data_format must be {known[0]!r} or {known[1]!r}, got {data_format!r}")
    return 1 if data_format == known[0] else rank + 1


def window_of(kind: str, filter_size: Any, rank: int) -> list[int]:
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


def split_padding(kind: str, padding: Any, rank: int, data_format: str) -> tuple[list[int], str]:
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
        flat = pair(padding, rank)
    if len(flat) == 2 * rank and all(flat[2 * i] == flat[2 * i + 1] for i in range(rank)):
        flat = flat[::2]
    if len(flat) not in (rank, 2 * rank):
        raise ArgumentError(f"{kind}: padding must have {rank} or {2 * rank} numbers, got {padding!r}")
    return flat, "EXPLICIT"
