"""Convolutions with a weight that the caller brings."""

from __future__ import annotations

from refluid.core.errors import ShapeError
from refluid.core.naming import LayerName
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers import conv, conv_transpose
from refluid.layers.checks import is_variable, need_variable
from refluid.layers.common import Activation, Padding, activate, pair
from refluid.layers.conv import channels_of
from refluid.ops.math.elementwise import elementwise_add


def conv2d(
    input: BaseVariable,
    weight: BaseVariable,
    bias: BaseVariable | None = None,
    padding: Padding = 0,
    stride: Ints = 1,
    dilation: Ints = 1,
    groups: int = 1,
    use_cudnn: bool = True,
    act: Activation = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> BaseVariable:
    """Convolution of images with a given weight.

    Args:
        input: a float variable of shape [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        weight: a float variable of shape [filters, C / groups, height, width].
        bias: a float variable of shape [filters], or None.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        stride: a number, or one per spatial axis.
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation.
        data_format: the layout of the input, "NCHW" or "NHWC".

    Returns:
        A variable with as many channels as filters, in the layout of input.
    """
    need_variable("conv2d: input", input)
    layer = LayerName("conv2d", name)
    return convolve(2, layer, input, weight, bias, padding, stride, dilation, groups, use_cudnn, act, data_format)


def conv3d(
    input: BaseVariable,
    weight: BaseVariable,
    bias: BaseVariable | None = None,
    padding: Padding = 0,
    stride: Ints = 1,
    dilation: Ints = 1,
    groups: int = 1,
    use_cudnn: bool = True,
    act: Activation = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> BaseVariable:
    """Convolution of volumes with a given weight.

    Args:
        input: a float variable of shape [N, C, D, H, W], or [N, D, H, W, C] with data_format="NDHWC".
        weight: a float variable of shape [filters, C / groups, depth, height, width].
        bias: a float variable of shape [filters], or None.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        stride: a number, or one per spatial axis.
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation.
        data_format: the layout of the input, "NCDHW" or "NDHWC".

    Returns:
        A variable with as many channels as filters, in the layout of input.
    """
    need_variable("conv3d: input", input)
    layer = LayerName("conv3d", name)
    return convolve(3, layer, input, weight, bias, padding, stride, dilation, groups, use_cudnn, act, data_format)


def conv2d_transpose(
    input: BaseVariable,
    weight: BaseVariable,
    bias: BaseVariable | None = None,
    output_size: Ints | None = None,
    padding: Padding = 0,
    stride: Ints = 1,
    dilation: Ints = 1,
    groups: int = 1,
    use_cudnn: bool = True,
    act: Activation = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> BaseVariable:
    """Transposed convolution of images with a given weight, which upsamples.

    Args:
        input: a float variable of shape [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        weight: a float variable of shape [C, filters / groups, height, width].
        bias: a float variable of shape [filters], or None.
        output_size: a number, or one per spatial axis, where the strides leave more than one size possible.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        stride: a number, or one per spatial axis.
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation.
        data_format: the layout of the input, "NCHW" or "NHWC".

    Returns:
        A variable with as many channels as filters, in the layout of input.
    """
    need_variable("conv2d_transpose: input", input)
    layer = LayerName("conv2d_transpose", name)
    return convolve_back(2, layer, input, weight, bias, output_size, padding, stride, dilation, groups, use_cudnn,
                         act, data_format)  # fmt: skip


def conv3d_transpose(
    input: BaseVariable,
    weight: BaseVariable,
    bias: BaseVariable | None = None,
    output_size: Ints | None = None,
    padding: Padding = 0,
    stride: Ints = 1,
    dilation: Ints = 1,
    groups: int = 1,
    use_cudnn: bool = True,
    act: Activation = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> BaseVariable:
    """Transposed convolution of volumes with a given weight, which upsamples.

    Args:
        input: a float variable of shape [N, C, D, H, W], or [N, D, H, W, C] with data_format="NDHWC".
        weight: a float variable of shape [C, filters / groups, depth, height, width].
        bias: a float variable of shape [filters], or None.
        output_size: a number, or one per spatial axis, where the strides leave more than one size possible.
        padding: a number, one per spatial axis, two per spatial axis, a pair per axis, "SAME" or "VALID".
        stride: a number, or one per spatial axis.
        dilation: a number, or one per spatial axis.
        groups: the number of groups of channels that are convolved separately.
        use_cudnn: False lets a convolution with one group per channel run as a depthwise one.
        act: the name of an activation.
        data_format: the layout of the input, "NCDHW" or "NDHWC".

    Returns:
        A variable with as many channels as filters, in the layout of input.
    """
    need_variable("conv3d_transpose: input", input)
    layer = LayerName("conv3d_transpose", name)
    return convolve_back(3, layer, input, weight, bias, output_size, padding, stride, dilation, groups, use_cudnn,
                         act, data_format)  # fmt: skip


def convolve(
    rank: int,
    layer: LayerName,
    input: BaseVariable,
    weight: BaseVariable,
    bias: BaseVariable | None,
    padding: Padding,
    stride: Ints,
    dilation: Ints,
    groups: int,
    use_cudnn: bool,
    act: Activation,
    data_format: str,
) -> BaseVariable:
    kind = f"conv{rank}d"
    axis, channels = channels_of(kind, rank, input, data_format)
    depthwise = rank == 2 and channels == groups != 1 and weight.shape[0] % channels == 0 and not use_cudnn
    out = conv.convolve("depthwise_conv2d" if depthwise else kind, rank, layer, input, weight, padding, stride,
                        dilation, groups, use_cudnn, data_format)  # fmt: skip
    return _finish(kind, out, bias, axis, act, layer)


def convolve_back(
    rank: int,
    layer: LayerName,
    input: BaseVariable,
    weight: BaseVariable,
    bias: BaseVariable | None,
    output_size: Ints | None,
    padding: Padding,
    stride: Ints,
    dilation: Ints,
    groups: int,
    use_cudnn: bool,
    act: Activation,
    data_format: str,
) -> BaseVariable:
    kind = f"conv{rank}d_transpose"
    axis, channels = channels_of(kind, rank, input, data_format)
    depthwise = rank == 2 and channels == groups == weight.shape[1] * groups != 1 and not use_cudnn
    sizes = [] if output_size is None else pair(output_size, rank)
    out = conv_transpose.convolve_back("depthwise_conv2d_transpose" if depthwise else kind, rank, layer, input, weight,
                                       sizes, padding, stride, dilation, groups, use_cudnn, data_format)  # fmt: skip
    return _finish(kind, out, bias, axis, act, layer)


def _finish(
    kind: str, out: BaseVariable, bias: BaseVariable | None, axis: int, act: Activation, layer: LayerName
) -> BaseVariable:
    if bias is not None:
        filters = out.shape[axis]
        if is_variable(bias) and list(bias.shape) != [filters]:
            raise ShapeError(f"{kind}: bias must have shape [{filters}], got {bias.name} {list(bias.shape)}")
        out = elementwise_add(out, bias, axis=axis, name=layer)
    return activate(out, act, layer)
