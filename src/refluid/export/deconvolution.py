"""How a transposed convolution crops and pads, for exporters."""

from __future__ import annotations

from typing import NamedTuple

from refluid.export.mapping import Unsupported, Value
from refluid.ops.nn.geometry import is_channels_last, pad_sides


class Deconvolution(NamedTuple):
    """One number, or pair of numbers, for each spatial axis."""

    sides: list[tuple[int, int]]  # what is cropped before and behind
    extra: list[int]  # what is added behind, for the output_size
    dilations: list[int]


def deconvolution(
    Input: Value, Filter: Value, output_size: list[int], groups: int, dilations: list[int], strides: list[int],
    paddings: list[int], data_format: str, padding_algorithm: str,
) -> Deconvolution:  # fmt: skip
    """The numbers of an operator conv2d_transpose or conv3d_transpose; refused where they are known to no exporter."""
    if Filter.shape[0] % groups:
        raise Unsupported(
            f"groups={groups} leaves channels out, since it does not divide the {Filter.shape[0]} of Input"
        )
    same = padding_algorithm == "SAME"
    rates = [1] * len(strides) if same else dilations  # Fluid: SAME knows no dilation
    size, window = space(Input, data_format), Filter.shape[2:]
    if (same or output_size) and -1 in size:
        raise Unsupported(f"padding SAME and output_size need a fixed input size, but Input is {list(Input.shape)}")
    sides = pad_sides(paddings, padding_algorithm, size, window, strides)
    if any(min(side) < 0 for side in sides):
        raise Unsupported(f"negative paddings {sides}, which add cells")
    extra = [0] * len(strides)
    if output_size:
        whole = [(n - 1) * s + d * (k - 1) + 1 for n, s, d, k in zip(size, strides, rates, window)]
        extra = [wanted - (n - sum(side)) for wanted, n, side in zip(output_size, whole, sides)]
    return Deconvolution(sides, extra, rates)


def space(X: Value, layout: str) -> tuple[int, ...]:
    """The sizes of the spatial axes."""
    return X.shape[1:-1] if is_channels_last(layout) else X.shape[2:]
