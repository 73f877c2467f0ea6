"""Transposed convolutions."""

from __future__ import annotations

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.core.types import Ints
from refluid.core.warn import warn_once
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable
from refluid.layers.common import Padding, activate, add_bias, pair
from refluid.layers.conv import channels_of, check_channels, split_padding, window_of
from refluid.ops import registry
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter


def conv2d_transpose(
    input: BaseVariable,
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
    data_format: str = "NCHW",
) -> BaseVariable:
    """2-D transposed convolution: the gradient of conv2d with respect to its input, as a layer; it upsamples images.

    Args:
        input: a float variable [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        num_filters: the number of output channels.
        output_size: the size of the result, an int or [height, width]; without a filter_size it determines that.
        filter_size: the size of the filter window, an int or [height, width]; None if output_size is given.
        padding: the padding of the convolution in the other direction; as conv2d has it.
        stride: its stride, an int or [height, width].
        dilation: its dilation, an int or [height, width].
        groups: input and output channels are divided into this many groups, each with filters of its own; None for 1.
        param_attr: settings of the weight [C, num_filters / groups, height, width].
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: False turns a layer with one channel per group into the operator depthwise_conv2d_transpose.
        act: the name of an activation, "relu" for example.
        data_format: "NCHW" or "NHWC".

    Returns:
        A variable [N, num_filters, H', W'] (channels last with "NHWC"), where
        H' = (H - 1) * stride - 2 * padding + dilation * (height - 1) + 1 or output_size, and W' likewise.

    Example:
        >>> x = fluid.data("x", [None, 8, 16, 16])
        >>> fluid.layers.conv2d_transpose(x, num_filters=4, filter_size=2, stride=2).shape
        (-1, 4, 32, 32)
    """
    return _conv_transpose(2, input, num_filters, output_size, filter_size, padding, stride, dilation, groups,
                           param_attr, bias_attr, use_cudnn, act, name, data_format)  # fmt: skip


def conv3d_transpose(
    input: BaseVariable,
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
    data_format: str = "NCDHW",
) -> BaseVariable:
    """3-D transposed convolution: the gradient of conv3d with respect to its input, as a layer; it upsamples volumes.

    Args:
        input: a float variable [N, C, D, H, W], or [N, D, H, W, C] with data_format="NDHWC".
        num_filters: the number of output channels.
        output_size: the size of the result, an int or [depth, height, width]; without a filter_size it determines that.
        filter_size: the size of the filter window, an int or one per axis; None if output_size is given.
        padding: the padding of the convolution in the other direction; as conv3d has it.
        stride: its stride, an int or one per axis.
        dilation: its dilation, an int or one per axis.
        groups: input and output channels are divided into this many groups, each with filters of its own; None for 1.
        param_attr: settings of the weight [C, num_filters / groups, depth, height, width].
        bias_attr: settings of the bias [num_filters]; False for no bias.
        use_cudnn: kept as an attribute of the operator; no effect.
        act: the name of an activation, "relu" for example.
        data_format: "NCDHW" or "NDHWC".

    Returns:
        A variable [N, num_filters, D', H', W'] (channels last with "NDHWC"); the sizes as conv2d_transpose has them.
    """
    return _conv_transpose(3, input, num_filters, output_size, filter_size, padding, stride, dilation, groups,
                           param_attr, bias_attr, use_cudnn, act, name, data_format)  # fmt: skip


def _conv_transpose(rank: int, input: BaseVariable, num_filters: int, output_size: Ints | None, filter_size: Ints |
None, padding: Padding,
                    stride: Ints, dilation: Ints, groups: int | None, param_attr: AttrLike, bias_attr: AttrLike,
                        use_cudnn: bool,
                    act: str | None, name: str | None, data_format: str) -> BaseVariable:  # fmt: skip
    kind = f"conv{rank}d_transpose"
    need_variable(f"{kind}: input", input)
    channel_axis, channels = channels_of(kind, rank, input, data_format)
    groups = 1 if groups is None else groups
    sizes = [] if output_size is None else pair(output_size, rank)
    if filter_size is not None:
        window = window_of(kind, filter_size, rank)
    elif sizes:
        space = input.shape[2:] if channel_axis == 1 else input.shape[1:-1]
        paddings, _ = split_padding(kind, padding, rank, data_format)
        window = window_for(kind, list(space), sizes, paddings, pair(stride, rank), pair(dilation, rank))
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
    out = convolve_back(op_type, rank, layer, input, weight, sizes, padding, stride, dilation, groups, use_cudnn,
                        data_format)  # fmt: skip
    return activate(add_bias(out, bias_attr, layer, num_filters, axis=channel_axis), act, layer)


def convolve_back(op_type: str, rank: int, layer: LayerName, input: BaseVariable, weight: BaseVariable,
                  output_size: list[int], padding: Padding, stride: Ints, dilation: Ints, groups: int, use_cudnn: bool,
                  data_format: str) -> BaseVariable:  # fmt: skip
    """Call an operator that is the transpose of a convolution."""
    paddings, algorithm = split_padding(f"conv{rank}d_transpose", padding, rank, data_format)
    return registry.get(op_type)(
        input, weight, name=layer, output_size=output_size, strides=pair(stride, rank), paddings=paddings,
        padding_algorithm=algorithm, dilations=pair(dilation, rank), groups=groups, use_cudnn=use_cudnn,
        data_format="NCHW" if data_format.startswith("NC") else "NHWC",
    )  # fmt: skip


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
