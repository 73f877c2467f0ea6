"""Images: sampling, rearranging of pixels and channels, windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable, need_variable
from refluid.layers.common import activate, pair
from refluid.ops import registry


def affine_channel(
    x: BaseVariable,
    scale: BaseVariable | None = None,
    bias: BaseVariable | None = None,
    data_layout: str = "NCHW",
    name: str | None = None,
    act: str | None = None,
) -> BaseVariable:
    """act(scale * x + bias) per channel.

    Args:
        x: a float variable [N, C, ...], or [N, ..., C] with data_layout="NHWC".
        scale: a float variable [C].
        bias: a float variable [C].
        data_layout: "NCHW" or "NHWC".
        act: the name of an activation, "relu" for example.

    Returns:
        A variable of the shape and dtype of x.

    Example:
        >>> x = fluid.data("x", [None, 3, 8, 8])
        >>> scale = fluid.layers.create_parameter([3], "float32")
        >>> bias = fluid.layers.create_parameter([3], "float32", is_bias=True)
        >>> fluid.layers.affine_channel(x, scale, bias).shape
        (-1, 3, 8, 8)
    """
    layer = LayerName("affine_channel", name)
    out = registry.get("affine_channel")(x, scale, bias, name=layer, data_layout=data_layout)
    return activate(out, act, layer)


def affine_grid(theta: BaseVariable, out_shape: Sequence[int] | BaseVariable, name: str | None = None) -> BaseVariable:
    """The sampling grid of an affine transformation (Jaderberg et al., 2015).

    Args:
        theta: the transformations, a float variable [N, 2, 3].
        out_shape: [N, C, H, W] of the transformed images, ints or an int32 variable.

    Returns:
        A variable [N, H, W, 2]: positions (x, y) in the input from -1 to 1, for grid_sampler.
    """
    if not is_variable(out_shape) and (not isinstance(out_shape, list | tuple) or len(out_shape) != 4):
        raise ArgumentError(f"affine_grid: out_shape must be [N, C, H, W] or a variable, got {out_shape!r}")
    layer = LayerName("affine_grid")
    op = registry.get("affine_grid")
    if is_variable(out_shape):
        return op(theta, out_shape, name=layer)
    return op(theta, name=layer, output_shape=list(out_shape))


def grid_sampler(x: BaseVariable, grid: BaseVariable, name: str | None = None) -> BaseVariable:
    """Bilinear interpolation of images at the positions of a grid; zeros outside.

    Args:
        x: a float variable [N, C, H, W].
        grid: float positions (x, y) from -1 to 1, [N, H', W', 2].

    Returns:
        A variable [N, C, H', W'].
    """
    return registry.get("grid_sampler")(x, grid, name=name)


def pixel_shuffle(x: BaseVariable, upscale_factor: int) -> BaseVariable:
    """Channels rearranged into pixels, for sub-pixel convolution (Shi et al., 2016).

    Args:
        x: a float variable [N, C * r * r, H, W].
        upscale_factor: r.

    Returns:
        A variable [N, C, H * r, W * r].
    """
    if not isinstance(upscale_factor, int):
        raise ArgumentError(f"pixel_shuffle: upscale_factor must be an int, got {upscale_factor!r}")
    return registry.get("pixel_shuffle")(x, upscale_factor=upscale_factor)


def space_to_depth(x: BaseVariable, blocksize: int, name: str | None = None) -> BaseVariable:
    """Blocks of pixels rearranged into channels.

    Args:
        x: a variable [N, C, H, W] of any dtype.
        blocksize: b, a divisor of H and W.

    Returns:
        A variable [N, C * b * b, H / b, W / b].
    """
    if not isinstance(blocksize, int):
        raise ArgumentError(f"space_to_depth: blocksize must be an int, got {blocksize!r}")
    return registry.get("space_to_depth")(x, name=name, blocksize=blocksize)


def shuffle_channel(x: BaseVariable, group: int, name: str | None = None) -> BaseVariable:
    """The channels of several groups interleaved (Zhang et al., 2017).

    Args:
        x: a float variable [N, C, H, W].
        group: the number of groups, a divisor of C.

    Returns:
        A variable of the shape and dtype of x.
    """
    if not isinstance(group, int):
        raise ArgumentError(f"shuffle_channel: group must be an int, got {group!r}")
    return registry.get("shuffle_channel")(x, name=name, group=group)


def temporal_shift(x: BaseVariable, seg_num: int, shift_ratio: float = 0.25, name: str | None = None) -> BaseVariable:
    """Some channels shifted by a frame in each direction (Lin et al., 2018).

    Args:
        x: a float variable [videos * seg_num, C, H, W].
        seg_num: the number of frames of a video.
        shift_ratio: the fraction of channels that is shifted in each direction.

    Returns:
        A variable of the shape and dtype of x.

    Example:
        >>> x = fluid.data("x", [None, 8, 4, 4])
        >>> fluid.layers.temporal_shift(x, seg_num=2, shift_ratio=0.25).shape
        (-1, 8, 4, 4)
    """
    if not isinstance(seg_num, int):
        raise ArgumentError(f"temporal_shift: seg_num must be an int, got {seg_num!r}")
    return registry.get("temporal_shift")(x, name=name, seg_num=seg_num, shift_ratio=float(shift_ratio))


def similarity_focus(input: BaseVariable, axis: int, indexes: Sequence[int], name: str | None = None) -> BaseVariable:
    """A mask of the largest elements of slices: in each slice one per row and column, in the order of their values.

    Args:
        input: a float variable [N, A, B, C].
        axis: the axis that is sliced: 1, 2 or 3.
        indexes: the slices; their masks are united.

    Returns:
        A variable of the shape of input with 0 and 1.
    """
    if axis not in (1, 2, 3):
        raise ArgumentError(f"similarity_focus: axis must be 1, 2 or 3, got {axis!r}")
    if not indexes:
        raise ArgumentError("similarity_focus: indexes must not be empty")
    return registry.get("similarity_focus")(input, name=name, axis=axis, indexes=list(indexes))


def fsp_matrix(x: BaseVariable, y: BaseVariable) -> BaseVariable:
    """Products of the channels of two feature maps, averaged over the pixels (Yim et al., 2017).

    Args:
        x: a float variable [N, C, H, W].
        y: a float variable [N, D, H, W].

    Returns:
        A variable [N, C, D].
    """
    return registry.get("fsp")(x, y, name=LayerName("fsp_matrix"))


def maxout(x: BaseVariable, groups: int, name: str | None = None, axis: int = 1) -> BaseVariable:
    """The maximum over groups of adjacent channels (Goodfellow et al., 2013).

    Args:
        x: a float variable [N, C, H, W], or [N, H, W, C].
        groups: the number of channels in a group, a divisor of C.
        axis: the axis of the channels: 1, 3 or -1.

    Returns:
        A variable with C / groups channels.
    """
    if axis not in (1, -1, 3):
        raise ArgumentError(f"maxout: axis must be 1, -1 or 3, got {axis!r}")
    return registry.get("maxout")(x, name=name, groups=groups, axis=3 if axis == -1 else axis)


def unfold(
    x: BaseVariable,
    kernel_sizes: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    dilations: Ints = 1,
    name: str | None = None,
) -> BaseVariable:
    """Every window of images as a column (im2col).

    Args:
        x: a float variable [N, C, H, W].
        kernel_sizes: the size of the window, an int or [height, width].
        strides: the step of the window, likewise.
        paddings: an int, [height, width] or [top, left, bottom, right].
        dilations: the distance of the window's elements, an int or [height, width].

    Returns:
        A variable [N, C * height * width, number of windows].
    """
    need_variable("unfold: x", x)
    if len(x.shape) != 4:
        raise ShapeError(f"unfold: x must have 4 axes, got {x.name} {list(x.shape)}")
    around = [paddings] * 4 if isinstance(paddings, int) else list(paddings)
    around = around * 2 if len(around) == 2 else around
    if len(around) != 4:
        raise ArgumentError(f"unfold: paddings must be a number, 2 or 4 numbers, got {paddings!r}")
    return registry.get("unfold")(
        x, name=name, kernel_sizes=pair(kernel_sizes), strides=pair(strides), paddings=around, dilations=pair(dilations)
    )


def im2sequence(
    input: BaseVariable,
    filter_size: Ints = 1,
    stride: Ints = 1,
    padding: Ints = 0,
    input_image_size: BaseVariable | None = None,
    out_stride: Ints = 1,
    name: str | None = None,
) -> BaseVariable:
    """Every image as a sequence of its windows, row by row.

    Args:
        input: a float variable [N, C, H, W].
        filter_size: the size of the window, an int or [height, width].
        stride: the step of the window, likewise.
        padding: an int, [height, width] or [top, left, bottom, right].
        input_image_size: a numeric variable [N, 2] with the real size of each image, where those of a batch differ;
            None for none.
        out_stride: the scale from the real image to input, with input_image_size.

    Returns:
        A LoDTensor [number of windows of all images, C * height * width], a sequence per image.

    Example:
        >>> image = fluid.data("image", [None, 1, 8, 8])
        >>> fluid.layers.im2sequence(image, filter_size=2, stride=2).shape
        (-1, 4)
    """
    around = pair(padding)
    around = around * 2 if len(around) == 2 else around
    attrs: dict[str, Any] = {"kernels": pair(filter_size), "strides": pair(stride), "paddings": around}
    if input_image_size is not None:
        attrs["out_stride"] = pair(out_stride)
    return registry.get("im2sequence")(input, input_image_size, name=name, **attrs)
