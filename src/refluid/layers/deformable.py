"""Deformable convolution."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable
from refluid.layers.common import add_bias, pair
from refluid.layers.conv import check_channels, filter_initializer, window_of
from refluid.ops.nn.deformable_conv import deformable_conv as modulated_op, deformable_conv_v1 as plain_op
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter


def deformable_conv(
    input: BaseVariable,
    offset: BaseVariable,
    mask: BaseVariable | None,
    num_filters: int,
    filter_size: Ints,
    stride: Ints = 1,
    padding: Ints = 0,
    dilation: Ints = 1,
    groups: int | None = None,
    deformable_groups: int | None = None,
    im2col_step: int | None = None,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    modulated: bool = True,
    name: str | None = None,
) -> BaseVariable:
    """Convolution whose sampling points are moved by offsets (Dai et al., 2017; Zhu et al., 2018).

    Args:
        input: a float variable [N, C, H, W].
        offset: float [N, deformable_groups * height * width * 2, H', W'], pairs (y, x).
        mask: the weight of every sampling point, float [N, deformable_groups * height * width, H', W']; None if not
            modulated.
        num_filters: the number of output channels.
        filter_size: the size of the filter window, an int or [height, width].
        stride: the step of the window, likewise.
        padding: the zero padding, likewise.
        dilation: the distance of the filter's elements, likewise.
        groups: input and output channels are divided into this many groups, each with filters of its own; None for 1.
        deformable_groups: the channels are divided into this many groups with offsets of their own; None for 1.
        im2col_step: the number of images that Fluid computes at once; kept as an attribute; None for 64.
        param_attr: settings of the weight [num_filters, C / groups, height, width].
        bias_attr: settings of the bias [num_filters]; False for no bias.
        modulated: False for version 1, without mask.

    Returns:
        A variable [N, num_filters, H', W'].
    """
    need_variable("deformable_conv: input", input)
    if len(input.shape) != 4:
        raise ShapeError(f"deformable_conv: input must have 4 axes, got {input.name} {list(input.shape)}")
    if modulated and mask is None:
        raise ArgumentError("deformable_conv: mask must be given; it is not read with modulated=False only")
    groups = 1 if groups is None else groups
    channels = input.shape[1]
    check_channels("deformable_conv", channels, num_filters, groups)
    size = window_of("deformable_conv", filter_size, 2)
    layer = LayerName("deformable_conv", name)
    weight = make_parameter(
        param_attr, [num_filters, channels // groups, *size], input.dtype, layer=layer,
        default=filter_initializer(channels, size),
    )  # fmt: skip
    attrs: dict[str, Any] = {
        "strides": pair(stride), "paddings": pair(padding), "dilations": pair(dilation), "groups": groups,
        "deformable_groups": 1 if deformable_groups is None else deformable_groups,
        "im2col_step": 64 if im2col_step is None else im2col_step,
    }  # fmt: skip
    if modulated:
        out = modulated_op(input, offset, mask, weight, name=layer, **attrs)
    else:
        out = plain_op(input, offset, weight, name=layer, **attrs)
    return add_bias(out, bias_attr, layer, num_filters)
