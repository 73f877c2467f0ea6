"""How the values of a network lie in memory for inputs of given shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from refluid.executor.network.layers import Description, Layer

_LINE = 16  # elements of a cache line
_MANY = 32  # channels from which Winograd's patches are worth their transforms
_AREA = 100  # cells of a result from which they are worth reading filters that have become larger


class CannotPlan(Exception):
    """Inputs for which there are no steps: other code computes them, or says what is wrong with them."""


@dataclass
class Shape:
    """Of a value: what a program sees, and how the channels are grouped and the margins are sized."""

    channels: int
    rows: int
    columns: int
    rank: int  # 4: an image; 2: channels alone
    lanes: int
    margin_y: int = 0
    margin_x: int = 0

    @property
    def blocks(self) -> int:
        return -(-self.channels // self.lanes)

    @property
    def strides(self) -> tuple[int, int, int, int]:
        """In elements, between images, blocks, rows and columns."""
        row = (self.columns + 2 * self.margin_x) * self.lanes
        block = (self.rows + 2 * self.margin_y) * row
        if (
            self.lanes > 1
        ):  # an odd number of cache lines: the blocks of a pixel then lie in different sets of the cache
            block = (-(-block // _LINE) | 1) * _LINE
        return self.blocks * block, block, row, self.lanes

    def sizes(self, images: int) -> list[int]:
        return [images, self.channels, self.rows, self.columns] if self.rank == 4 else [images, self.channels]


def plan_shapes(
    description: Description, inputs: list[torch.Size], sizes_of: Callable[[int], torch.Size], lanes: int
) -> dict[int, Shape]:
    """The shapes of all values; `sizes_of` tells those of a parameter."""
    shapes: dict[int, Shape] = {}
    for value, sizes in zip(description.inputs, inputs, strict=True):
        if len(sizes) not in (2, 4) or 0 in sizes or sizes[0] != inputs[0][0]:
            raise CannotPlan
        few = sizes[1] < lanes and all(
            layer.kind in ("convolution", "product") and layer.residual != value
            for layer in description.layers
            if value in layer.reads()
        )
        rows, columns = sizes[2:] or (1, 1)
        shapes[value] = Shape(sizes[1], rows, columns, len(sizes), 1 if few else lanes)
    for layer in description.layers:
        shapes[layer.output] = _output(layer, shapes, sizes_of, lanes)
        if layer.residual is not None:
            _same(shapes[layer.residual], shapes[layer.output])
    for layer in description.layers:
        if layer.kind == "convolution":
            assert layer.weights is not None
            shape, out = shapes[layer.inputs[0]], shapes[layer.output]
            pad_y, pad_x = layer.paddings
            if by_patches(
                layer, shape, out, sizes_of(layer.weights)
            ):  # patches of two rows and columns go over the edge
                pad_y, pad_x = pad_y + out.rows % 2, pad_x + out.columns % 2
            shape.margin_y = max(shape.margin_y, pad_y)
            shape.margin_x = max(shape.margin_x, pad_x)
    return shapes


def by_patches(layer: Layer, x: Shape, out: Shape, filters: torch.Size) -> bool:
    """Whether a convolution goes by Winograd's patches; with few channels the transforms cost more than they save."""
    plain = tuple(filters[2:]) == (3, 3) and set(layer.strides) == {1} and set(layer.dilations) == {1}
    return plain and x.lanes > 1 and min(x.channels, out.channels) >= _MANY and out.rows * out.columns >= _AREA


def _same(one: Shape, other: Shape) -> None:
    if (one.channels, one.rows, one.columns, one.rank) != (other.channels, other.rows, other.columns, other.rank):
        raise CannotPlan


def _output(layer: Layer, shapes: dict[int, Shape], sizes_of: Callable[[int], torch.Size], lanes: int) -> Shape:
    x = shapes[layer.inputs[0]]
    if layer.kind == "convolution":
        assert layer.weights is not None
        filters = sizes_of(layer.weights)
        if x.rank != 4 or len(filters) != 4 or filters[1] != x.channels:
            raise CannotPlan
        _check_bias(layer, sizes_of, filters[0])
        windows = [dilation * (size - 1) + 1 for dilation, size in zip(layer.dilations, filters[2:], strict=True)]
        return Shape(filters[0], *_windows(x, windows, layer), 4, lanes)
    if layer.kind == "product":
        assert layer.weights is not None
        matrix = sizes_of(layer.weights)
        if len(matrix) != 2 or matrix[0] != x.channels * x.rows * x.columns:
            raise CannotPlan
        _check_bias(layer, sizes_of, matrix[1])
        return Shape(matrix[1], 1, 1, 2, lanes)
    if layer.kind == "pooling":
        if x.rank != 4:
            raise CannotPlan
        if layer.everything:
            return Shape(x.channels, 1, 1, 4, lanes)
        if any(2 * pad > size for pad, size in zip(layer.paddings, layer.ksize, strict=True)):
            raise CannotPlan
        return Shape(x.channels, *_windows(x, list(layer.ksize), layer), 4, lanes)
    if layer.kind == "addition":
        _same(x, shapes[layer.inputs[1]])
    return Shape(x.channels, x.rows, x.columns, x.rank, lanes)


def _check_bias(layer: Layer, sizes_of: Callable[[int], torch.Size], channels: int) -> None:
    if layer.bias is not None and tuple(sizes_of(layer.bias)) != (channels,):
        raise CannotPlan


def _windows(x: Shape, windows: list[int], layer: Layer) -> tuple[int, int]:
    """How many windows fit into the rows and the columns."""
    counts = []
    for size, window, stride, pad in zip((x.rows, x.columns), windows, layer.strides, layer.paddings, strict=True):
        room = size + 2 * pad - window
        if room < 0 or stride < 1:
            raise CannotPlan
        counts.append(room // stride + 1)
    return counts[0], counts[1]
