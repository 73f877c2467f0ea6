"""Convolutions with a weight that the caller brings."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ShapeError
from refluid.core.naming import LayerName
from refluid.layers.common import activate, pair
from refluid.layers.conv import channel_axis_of, split_padding
from refluid.layers.numbers import is_variable, need_variable
from refluid.ops import registry
from refluid.ops.math.elementwise import elementwise_add


def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int = 1,
    use_cudnn: bool = True,
    act: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Convolution of images with a given weight.

    Args:
        input: [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        weight: [filters, C / groups, height, width]; bias: [filters] or None.
        padding: a number, [height, width], [top, bottom, left, right], a pair per axis, "SAME" or "VALID".
        stride, dilation: a number or [height, width].
        act: the name of an activation.
    """
    need_variable("conv2d: input", input)
    layer = LayerName("conv2d", name)
    return convolve(2, layer, input, weight, bias, padding, stride, dilation, groups, use_cudnn, act, data_format)


def conv3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int = 1,
    use_cudnn: bool = True,
    act: Any = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """Convolution of volumes; as conv2d with one axis more."""
    need_variable("conv3d: input", input)
    layer = LayerName("conv3d", name)
    return convolve(3, layer, input, weight, bias, padding, stride, dilation, groups, use_cudnn, act, data_format)


def conv2d_transpose(
    input: Any,
    weight: Any,
    bias: Any = None,
    output_size: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int = 1,
    use_cudnn: bool = True,
    act: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """The gradient of a convolution as a function: it enlarges images.

    Args:
        input: [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        weight: [C, filters / groups, height, width]; bias: [filters] or None.
        output_size: a number or [height, width], where the strides leave more than one possible.
    """
    need_variable("conv2d_transpose: input", input)
    layer = LayerName("conv2d_transpose", name)
    return convolve_back(2, layer, input, weight, bias, output_size, padding, stride, dilation, groups, use_cudnn,
                         act, data_format)  # fmt: skip


def conv3d_transpose(
    input: Any,
    weight: Any,
    bias: Any = None,
    output_size: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int = 1,
    use_cudnn: bool = True,
    act: Any = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """Enlarges volumes; as conv2d_transpose with one axis more."""
    need_variable("conv3d_transpose: input", input)
    layer = LayerName("conv3d_transpose", name)
    return convolve_back(3, layer, input, weight, bias, output_size, padding, stride, dilation, groups, use_cudnn,
                         act, data_format)  # fmt: skip


def convolve(rank: int, layer: LayerName, input: Any, weight: Any, bias: Any, padding: Any, stride: Any, dilation: Any,
             groups: int, use_cudnn: bool, act: Any, data_format: str) -> Any:  # fmt: skip
    kind = f"conv{rank}d"
    axis = _channel_axis(kind, rank, input, data_format)
    paddings, algorithm = split_padding(kind, padding, rank, data_format)
    filters, channels = weight.shape[0], input.shape[axis]
    depthwise = rank == 2 and channels == groups and channels != 1 and filters % channels == 0 and not use_cudnn
    out = registry.get("depthwise_conv2d" if depthwise else kind)(
        input, weight, name=layer, strides=pair(stride, rank), paddings=paddings, dilations=pair(dilation, rank),
        groups=groups, padding_algorithm=algorithm, use_cudnn=use_cudnn, use_mkldnn=False, data_format=data_format,
    )  # fmt: skip
    return _finish(kind, out, bias, axis, act, layer)


def convolve_back(rank: int, layer: LayerName, input: Any, weight: Any, bias: Any, output_size: Any, padding: Any,
                  stride: Any, dilation: Any, groups: int, use_cudnn: bool, act: Any,
                  data_format: str) -> Any:  # fmt: skip
    kind = f"conv{rank}d_transpose"
    axis = _channel_axis(kind, rank, input, data_format)
    paddings, algorithm = split_padding(kind, padding, rank, data_format)
    depthwise = rank == 2 and input.shape[axis] == groups == weight.shape[1] * groups != 1 and not use_cudnn
    out = registry.get("depthwise_conv2d_transpose" if depthwise else kind)(
        input, weight, name=layer, output_size=[] if output_size is None else pair(output_size, rank),
        strides=pair(stride, rank), paddings=paddings, padding_algorithm=algorithm, dilations=pair(dilation, rank),
        groups=groups, use_cudnn=use_cudnn, data_format="NCHW" if axis == 1 else "NHWC",
    )  # fmt: skip
    return _finish(kind, out, bias, axis, act, layer)


def _channel_axis(kind: str, rank: int, input: Any, data_format: str) -> int:
    if len(input.shape) != rank + 2:
        raise ShapeError(f"{kind}: input must have {rank + 2} axes, got {input.name} {list(input.shape)}")
    return channel_axis_of(kind, data_format, rank)


def _finish(kind: str, out: Any, bias: Any, axis: int, act: Any, layer: LayerName) -> Any:
    if bias is not None:
        filters = out.shape[axis]
        if is_variable(bias) and list(bias.shape) != [filters]:
            raise ShapeError(f"{kind}: bias must have shape [{filters}], got {bias.name} {list(bias.shape)}")
        out = elementwise_add(out, bias, axis=axis, name=layer)
    return out if act is None else activate(out, act, layer)
