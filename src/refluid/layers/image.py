"""Pictures: sampling, shuffling of pixels and channels, patches."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.layers.common import activate, pair
from refluid.layers.numbers import is_variable, need_variable
from refluid.ops import registry


def affine_channel(
    x: Any,
    scale: Any = None,
    bias: Any = None,
    data_layout: str = "NCHW",
    name: str | None = None,
    act: Any = None,
) -> Any:
    """act(scale * x + bias) per channel; scale and bias are variables [C]."""
    layer = LayerName("affine_channel", name)
    out = registry.get("affine_channel")(x, scale, bias, name=layer, data_layout=data_layout)
    return activate(out, act, layer)


def affine_grid(theta: Any, out_shape: Any, name: str | None = None) -> Any:
    """Where in its source every pixel of a transformed image lies (Jaderberg et al., 2015).

    Args:
        theta: [N, 2, 3], a transformation per image.
        out_shape: [N, C, H, W] of the transformed image, numbers or a variable of int32.
    Returns:
        [N, H, W, 2], positions (x, y) from -1 to 1, for grid_sampler.
    """
    if not is_variable(out_shape) and (not isinstance(out_shape, list | tuple) or len(out_shape) != 4):
        raise ArgumentError(f"affine_grid: out_shape must be [N, C, H, W] or a variable, got {out_shape!r}")
    layer = LayerName("affine_grid")
    op = registry.get("affine_grid")
    if is_variable(out_shape):
        return op(theta, out_shape, name=layer)
    return op(theta, name=layer, output_shape=list(out_shape))


def grid_sampler(x: Any, grid: Any, name: str | None = None) -> Any:
    """The pixels of x [N, C, H, W] at the positions of grid [N, H, W, 2], by bilinear interpolation."""
    return registry.get("grid_sampler")(x, grid, name=name)


def pixel_shuffle(x: Any, upscale_factor: int) -> Any:
    """[N, C * r * r, H, W] into [N, C, H * r, W * r] (Shi et al., 2016)."""
    if not isinstance(upscale_factor, int):
        raise ArgumentError(f"pixel_shuffle: upscale_factor must be an int, got {upscale_factor!r}")
    return registry.get("pixel_shuffle")(x, upscale_factor=upscale_factor)


def space_to_depth(x: Any, blocksize: int, name: str | None = None) -> Any:
    """[N, C, H, W] into [N, C * b * b, H / b, W / b]: blocks of pixels become channels."""
    if not isinstance(blocksize, int):
        raise ArgumentError(f"space_to_depth: blocksize must be an int, got {blocksize!r}")
    return registry.get("space_to_depth")(x, name=name, blocksize=blocksize)


def shuffle_channel(x: Any, group: int, name: str | None = None) -> Any:
    """Mix the channels of `group` groups, one from each in turn (Zhang et al., 2017)."""
    if not isinstance(group, int):
        raise ArgumentError(f"shuffle_channel: group must be an int, got {group!r}")
    return registry.get("shuffle_channel")(x, name=name, group=group)


def temporal_shift(x: Any, seg_num: int, shift_ratio: float = 0.25, name: str | None = None) -> Any:
    """Move a part of the channels one frame forth and another part one frame back (Lin et al., 2018).

    Args:
        x: [videos * seg_num, C, H, W].
        shift_ratio: the share of channels that move in either direction.
    """
    if not isinstance(seg_num, int):
        raise ArgumentError(f"temporal_shift: seg_num must be an int, got {seg_num!r}")
    return registry.get("temporal_shift")(x, name=name, seg_num=seg_num, shift_ratio=float(shift_ratio))


def similarity_focus(input: Any, axis: int, indexes: list[int], name: str | None = None) -> Any:
    """A mask of the strongest cells of some slices of [N, A, B, C]: one in every row and column.

    Args:
        axis: which axis is sliced: 1, 2 or 3.
        indexes: which slices.
    """
    if axis not in (1, 2, 3):
        raise ArgumentError(f"similarity_focus: axis must be 1, 2 or 3, got {axis!r}")
    if not indexes:
        raise ArgumentError("similarity_focus: indexes must not be empty")
    return registry.get("similarity_focus")(input, name=name, axis=axis, indexes=list(indexes))


def fsp_matrix(x: Any, y: Any) -> Any:
    """The products of all channels of x [N, C, H, W] and y [N, D, H, W], averaged over the pixels: [N, C, D]."""
    return registry.get("fsp")(x, y, name=LayerName("fsp_matrix"))


def maxout(x: Any, groups: int, name: str | None = None, axis: int = 1) -> Any:
    """The largest of each `groups` neighbouring channels (Goodfellow et al., 2013).

    Args:
        axis: the channels' axis: 1 or the last.
    """
    if axis not in (1, -1, 3):
        raise ArgumentError(f"maxout: axis must be 1, -1 or 3, got {axis!r}")
    return registry.get("maxout")(x, name=name, groups=groups, axis=3 if axis == -1 else axis)


def unfold(
    x: Any, kernel_sizes: Any, strides: Any = 1, paddings: Any = 0, dilations: Any = 1, name: str | None = None
) -> Any:
    """Every window of images [N, C, H, W] as a column: [N, C * window, number of windows].

    Args:
        paddings: a number, [height, width] or [top, left, bottom, right].
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
    input: Any,
    filter_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    input_image_size: Any = None,
    out_stride: Any = 1,
    name: str | None = None,
) -> Any:
    """Every image becomes a sequence of its windows, row by row.

    Args:
        input: [N, C, H, W].
        padding: a number, [height, width] or [top, left, bottom, right].
        input_image_size: a variable [N, 2] with the real size of each image, if images of a batch differ.
        out_stride: how much smaller than the real image the input is, with input_image_size.
    Returns:
        A LoDTensor [number of all windows, C * window], a sequence per image.
    """
    around = pair(padding)
    around = around * 2 if len(around) == 2 else around
    attrs: dict[str, Any] = {"kernels": pair(filter_size), "strides": pair(stride), "paddings": around}
    if input_image_size is not None:
        attrs["out_stride"] = pair(out_stride)
    return registry.get("im2sequence")(input, input_image_size, name=name, **attrs)
