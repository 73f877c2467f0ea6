"""Convolutions and transposed convolutions."""

from __future__ import annotations

from collections.abc import Callable

from refluid.export.deconvolution import deconvolution
from refluid.export.mapping import Unsupported, Value
from refluid.export.to_onnx.graph import Graph, maps
from refluid.ops.nn.geometry import is_channels_last, pad_sides


def channels_first(g: Graph, X: Value, layout: str, compute: Callable[[Value], str]) -> str:
    """Compute on [N, C, ...], the only layout of ONNX; transpose [N, ..., C] before and after."""
    if not is_channels_last(layout):
        return compute(X)
    order = [0, X.rank - 1, *range(1, X.rank - 1)]
    channels_first_X = Value(g.transpose(X, *order), tuple(X.shape[i] for i in order), X.dtype)
    return g.transpose(compute(channels_first_X), 0, *range(2, X.rank), 1)


def as_pads(sides: list[tuple[int, int]]) -> list[int]:
    """ONNX wants all beginnings, then all ends."""
    if any(min(side) < 0 for side in sides):
        raise Unsupported(f"negative paddings {sides}, which crop cells")
    return [before for before, _ in sides] + [after for _, after in sides]


@maps("conv2d", "depthwise_conv2d", "conv3d")
def conv(
    g: Graph,
    Input: Value,
    Filter: Value,
    Bias: Value | None,
    *,
    strides: list[int],
    paddings: list[int],
    padding_algorithm: str,
    groups: int,
    dilations: list[int],
    data_format: str,
) -> str:
    def compute(x: Value) -> str:
        options = {"strides": strides, "group": groups, "kernel_shape": Filter.shape[2:]}
        if padding_algorithm == "SAME":  # Fluid: SAME knows no dilation
            return g.node("Conv", x, Filter, Bias, auto_pad="SAME_UPPER", **options)
        sides = pad_sides(paddings, padding_algorithm, x.shape[2:], Filter.shape[2:], strides)
        return g.node("Conv", x, Filter, Bias, pads=as_pads(sides), dilations=dilations, **options)

    return channels_first(g, Input, data_format, compute)


@maps("conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose")
def conv_transpose(
    g: Graph,
    Input: Value,
    Filter: Value,
    Bias: Value | None,
    *,
    output_size: list[int],
    groups: int,
    dilations: list[int],
    strides: list[int],
    paddings: list[int],
    data_format: str,
    padding_algorithm: str,
) -> str:
    sides, extra, rates = deconvolution(
        Input, Filter, output_size, groups, dilations, strides, paddings, data_format, padding_algorithm
    )

    def compute(x: Value) -> str:
        return g.node("ConvTranspose", x, Filter, Bias, strides=strides, pads=as_pads(sides), dilations=rates,
                      group=groups, kernel_shape=Filter.shape[2:], output_padding=extra)  # fmt: skip

    return channels_first(g, Input, data_format, compute)
