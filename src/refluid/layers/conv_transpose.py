"""Transposed convolutions."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.core.warn import warn_once
from refluid.layers.common import activate, add_bias, pair
from refluid.layers.conv import channel_axis_of, check_channels, split_padding, window_of
from refluid.layers.numbers import need_variable
from refluid.ops import registry
from refluid.params.create import make_parameter


def conv2d_transpose(
    input: Any,
    num_filters: int,
    output_size: Any = None,
    filter_size: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: Any = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Any:
    """The gradient of a convolution as a layer: it enlarges images.

    Args:
        input: [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        output_size: a number or [height, width]; without a filter_size it decides that one.
        filter_size, stride, dilation: a number or [height, width].
        padding: what a convolution back to the input would add; see conv2d.
        bias_attr: False for no bias.
    Returns:
        [N, num_filters, H', W'] with H' = (H - 1) * stride - 2 * padding + dilation * (filter - 1) + 1, or output_size.
    """
    return _conv_transpose(2, input, num_filters, output_size, filter_size, padding, stride, dilation, groups,
                           param_attr, bias_attr, use_cudnn, act, name, data_format)  # fmt: skip


def conv3d_transpose(
    input: Any,
    num_filters: int,
    output_size: Any = None,
    filter_size: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: Any = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Any:
    """Transposed convolution of volumes; as conv2d_transpose with one axis more."""
    return _conv_transpose(3, input, num_filters, output_size, filter_size, padding, stride, dilation, groups,
                           param_attr, bias_attr, use_cudnn, act, name, data_format)  # fmt: skip


def _conv_transpose(rank: int, input: Any, num_filters: int, output_size: Any, filter_size: Any, padding: Any,
                    stride: Any, dilation: Any, groups: int | None, param_attr: Any, bias_attr: Any, use_cudnn: bool,
                    act: Any, name: str | None, data_format: str) -> Any:  # fmt: skip
    kind = f"conv{rank}d_transpose"
    need_variable(f"{kind}: input", input)
    channel_axis = channel_axis_of(kind, data_format, rank)
    if len(input.shape) != rank + 2:
        raise ShapeError(f"{kind}: input must have {rank + 2} axes, got {input.name} {list(input.shape)}")
    channels = input.shape[channel_axis]
    groups = 1 if groups is None else groups
    strides, dilations = pair(stride, rank), pair(dilation, rank)
    paddings, algorithm = split_padding(kind, padding, rank, data_format)
    sizes = [] if output_size is None else pair(output_size, rank)
    if filter_size is not None:
        window = window_of(kind, filter_size, rank)
    elif sizes:
        space = input.shape[2:] if channel_axis == 1 else input.shape[1:-1]
        window = window_for(kind, list(space), sizes, paddings, strides, dilations)
    else:
        raise ArgumentError(f"{kind}: filter_size or output_size must be given")
    unused = channels % groups if 0 < groups < channels else 0
    if unused:
        warn_once(f"{kind}: groups={groups} does not divide the {channels} channels; the last {unused} are not used")
    check_channels(kind, channels - unused, num_filters, groups)
    op_type = kind
    if rank == 2 and channels == groups == num_filters and not use_cudnn:
        op_type = "depthwise_conv2d_transpose"  # Fluid names it so where its own kernel would run
    layer = LayerName(op_type, name)
    weight = make_parameter(param_attr, [channels, num_filters // groups, *window], input.dtype, layer=layer)
    out = registry.get(op_type)(
        input, weight, name=layer, output_size=sizes, strides=strides, paddings=paddings, padding_algorithm=algorithm,
        dilations=dilations, groups=groups, use_cudnn=use_cudnn, data_format="NCHW" if channel_axis == 1 else "NHWC",
    )  # fmt: skip
    return activate(add_bias(out, bias_attr, layer, num_filters, axis=channel_axis), act, layer)


def window_for(kind: str, space: list[int], out: list[int], paddings: list[int], strides: list[int],
            dilations: list[int]) -> list[int]:  # fmt: skip
    """The filter whose output has the asked size."""
    if any(size < 0 for size in space):
        raise ShapeError(f"{kind}: filter_size must be given where the size of the input is not known, got {space}")
    both = paddings if len(paddings) == 2 * len(space) else [p for p in paddings for _ in range(2)]
    return [
        (out[i] - (space[i] - 1) * strides[i] + both[2 * i] + both[2 * i + 1] - 1) // dilations[i] + 1
        for i in range(len(space))
    ]
