"""Deformable convolution."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.layers.common import add_bias, pair
from refluid.layers.conv import check_channels, filter_initializer, window_of
from refluid.layers.numbers import need_variable
from refluid.ops.nn.deformable_conv import deformable_conv as modulated_op, deformable_conv_v1 as plain_op
from refluid.params.create import make_parameter


def deformable_conv(
    input: Any,
    offset: Any,
    mask: Any,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    deformable_groups: int | None = None,
    im2col_step: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    modulated: bool = True,
    name: str | None = None,
) -> Any:
    """A convolution whose filter cells look where `offset` tells them (Dai et al., 2017).

    Args:
        input: [N, C, H, W].
        offset: [N, deformable_groups * cells * 2 (y, x), H', W'].
        mask: [N, deformable_groups * cells, H', W'], the weight of every look; not read if `modulated` is False.
        deformable_groups: the channels fall into this many groups with offsets of their own.
    Returns:
        [N, num_filters, H', W'].
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
