"""The steps of a network for inputs of given shapes, and the memory that they use."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import torch

from refluid.executor.network.layers import Description, Layer
from refluid.executor.network.packing import Packer
from refluid.executor.network.shapes import Shape, by_patches, plan_shapes
from refluid.executor.network.steps import (
    ADDITION,
    CONVOLUTION,
    LOAD,
    POOLING,
    RECTIFIER,
    SOFTMAX,
    STORE,
    WINOGRAD,
    Convolution,
    Elementwise,
    Image,
    Pooling,
    Softmax,
    Step,
    Transfer,
    Winograd,
)  # fmt: skip
from refluid.native import call as native

NEAR = 256 * 1024  # bytes of an image that one item of work may read again and again
PATCHED = 640 * 1024  # bytes of transformed patches of one item of work
FEW_ITEMS = 4  # of a loop that transforms its patches again for every part of the filters
ITEMS = 16  # of a loop, at least: what threads share evenly
MANY = 4096  # rows of filters times pairs of blocks, which a thread does not read once for every few pixels
TOGETHER = 4  # images at a time: more would not stay in the cache, fewer would read filters more often
WORTH_WAKING = 500_000  # multiplications: fewer are done before another thread is awake
_ARGUMENTS = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_bool]


class Steps:
    """What one call runs. It has memory of its own, so only one thread at a time may run it."""

    def __init__(self, description: Description, inputs: list[torch.Size], packer: Packer):
        self._packer = packer
        self._shapes = plan_shapes(description, inputs, packer.sizes_of, packer.lanes)
        self.images = inputs[0][0]
        self.together = next(count for count in range(min(TOGETHER, self.images), 0, -1) if self.images % count == 0)
        self._alive: list[torch.Tensor] = []
        self._data: dict[int, torch.Tensor] = {}
        self._free: dict[tuple, list[torch.Tensor]] = {}
        self._direct: dict[int, int] = {}  # inputs that are read where they are
        self.work = 0
        self.by_patches = False  # whether infinities become NaN in their neighbourhood
        self.steps = list(self._build(description))
        self._addresses = (ctypes.c_void_p * len(self.steps))(*(ctypes.addressof(step) for step in self.steps))
        self._results = [self._shapes[value].sizes(self.images) for value in description.outputs]
        self._input_bytes = [4 * sizes.numel() // self.images * self.together for sizes in inputs]
        self._output_bytes = [4 * self.together * torch.Size(sizes[1:]).numel() for sizes in self._results]
        self._ins = (ctypes.c_int64 * len(inputs))()
        self._outs = (ctypes.c_int64 * len(self._results))()
        self._function = native.function("network_run")
        self._function.argtypes = _ARGUMENTS
        self._wake = self.work > WORTH_WAKING

    def run(self, inputs: list[torch.Tensor]) -> tuple[torch.Tensor, ...] | None:
        """The results; None where sums of patches may have made NaN of infinities."""
        results = tuple([torch.empty(sizes) for sizes in self._results])
        ins, outs = self._ins, self._outs
        for i, value in enumerate(inputs):
            ins[i] = value.data_ptr()
        for i, value in enumerate(results):
            outs[i] = value.data_ptr()
        threads = torch.get_num_threads()
        for start in range(0, self.images, self.together):
            if start:
                for i, size in enumerate(self._input_bytes):
                    ins[i] += size
                for i, size in enumerate(self._output_bytes):
                    outs[i] += size
            self._function(self._addresses, len(self.steps), ins, outs, threads, self._wake)
        if self.by_patches and not all([bool(torch.isfinite(value).all()) for value in results]):
            return None
        return results

    # -- building -------------------------------------------------------------------------------------------------

    def _build(self, description: Description) -> Iterator[Step]:
        last = {value: i for i, layer in enumerate(description.layers) for value in layer.reads()}
        last.update(dict.fromkeys(description.outputs, len(description.layers)))
        for i, value in enumerate(description.inputs):
            shape = self._shapes[value]
            if shape.lanes == 1 and not shape.margin_y and not shape.margin_x:
                self._direct[value] = i
            else:
                self._take(value)
                yield self._transfer(LOAD, value, i)
        for i, layer in enumerate(description.layers):
            self._take(layer.output)
            yield self._step(layer)
            for value in {*layer.reads(), layer.output}:
                if last.get(value, -1) <= i and value in self._data:
                    self._free.setdefault(self._kind(value), []).append(self._data.pop(value))
        for i, value in enumerate(description.outputs):
            yield self._transfer(STORE, value, i)

    def _kind(self, value: int) -> tuple:
        """Values of one kind may share memory: the margins of one are those of the other."""
        shape = self._shapes[value]
        return (shape.strides, shape.margin_y, shape.margin_x)

    def _take(self, value: int) -> None:
        free = self._free.get(self._kind(value))
        if free:
            self._data[value] = free.pop()
        else:
            self._data[value] = torch.zeros(self.together * self._shapes[value].strides[0])
            self._alive.append(self._data[value])

    def _image(self, value: int, pad_y: int = 0, pad_x: int = 0, stride_y: int = 1, stride_x: int = 1) -> Image:
        """The value from where a window starts that begins in the margin."""
        shape = self._shapes[value]
        image, block, row, column = shape.strides
        start = (shape.margin_y - pad_y) * row + (shape.margin_x - pad_x) * column
        base = 0 if value in self._direct else self._data[value].data_ptr()
        return Image(base + 4 * start, image, block, row * stride_y, column * stride_x)

    def _transfer(self, kind: int, value: int, index: int) -> Transfer:
        shape = self._shapes[value]
        return Transfer(
            kind, self._image(value), index, self.together, shape.channels, shape.rows, shape.columns, shape.lanes
        )

    def _step(self, layer: Layer) -> Step:
        out = self._shapes[layer.output]
        if layer.kind in ("convolution", "product"):
            return self._convolution(layer)
        if layer.kind == "pooling":
            return self._pooling(layer)
        (x, *others) = layer.inputs
        if layer.kind == "softmax":
            return Softmax(SOFTMAX, self._image(x), self._image(layer.output), self.together, out.channels)
        return Elementwise(
            ADDITION if others else RECTIFIER, self._image(x), self._image(others[0] if others else x),
            self._image(layer.output), self.together, out.blocks, out.rows, out.columns, layer.rectify,
        )  # fmt: skip

    def _pooling(self, layer: Layer) -> Pooling:
        (x,) = layer.inputs
        shape, out = self._shapes[x], self._shapes[layer.output]
        window = (shape.rows, shape.columns) if layer.everything else layer.ksize
        pads, strides = ((0, 0), (1, 1)) if layer.everything else (layer.paddings, layer.strides)
        return Pooling(
            POOLING, self._image(x), self._image(layer.output), self.together, out.blocks, out.rows, out.columns,
            shape.rows, shape.columns, *window, *strides, *pads, layer.average, layer.exclusive, layer.rectify,
        )  # fmt: skip

    def _convolution(self, layer: Layer) -> Convolution | Winograd:
        (x,) = layer.inputs
        assert layer.weights is not None
        shape, out = self._shapes[x], self._shapes[layer.output]
        if layer.kind == "convolution" and by_patches(layer, shape, out, self._packer.sizes_of(layer.weights)):
            return self._winograd(layer, shape, out)
        weights = self._packer.weights(layer.weights, shape)
        bias = self._packer.bias(layer.bias, out.blocks)
        if layer.kind == "product":  # a convolution whose window is the image
            height, width = shape.rows, shape.columns
        else:
            _, _, height, width = self._packer.sizes_of(layer.weights)
        _, block, row, column = shape.strides
        taps = torch.tensor(
            [
                b * block + y * layer.dilations[0] * row + w * layer.dilations[1] * column
                for b in range(shape.blocks)
                for y in range(height)
                for w in range(width)
            ]
        )
        self._alive += [weights, bias, taps]
        whole = shape.channels // shape.lanes * height * width if shape.lanes > 1 else 0
        pixels = self.together * out.rows * out.columns
        self.work += pixels * out.channels * shape.channels * height * width
        depth = shape.channels * height * width
        reach = min(layer.strides[0] * layer.strides[1], height * width)  # cells of the image for one of the result
        tiles, groups = _items(pixels, self._packer.tile, out.blocks, shape.channels * reach, depth)
        return Convolution(
            CONVOLUTION, self._image(x, *layer.paddings, *layer.strides), self._image(layer.output),
            Image() if layer.residual is None else self._image(layer.residual), self._direct.get(x, -1),
            taps.data_ptr(), whole, len(taps) - whole, shape.channels % shape.lanes or 1,
            weights.data_ptr(), bias.data_ptr(), self.together, out.rows, out.columns, out.blocks, layer.rectify,
            tiles, groups,
        )  # fmt: skip

    def _winograd(self, layer: Layer, shape: Shape, out: Shape) -> Winograd:
        assert layer.weights is not None
        weights = self._packer.transformed(layer.weights)
        bias = self._packer.bias(layer.bias, out.blocks)
        self._alive += [weights, bias]
        self.by_patches = True
        self.work += self.together * out.rows * out.columns * out.channels * shape.channels * 4
        patches = self.together * -(-out.rows // 2) * -(-out.columns // 2)
        tile = self._packer.tile
        near = max(2 * tile, PATCHED // (16 * 4 * shape.channels) // tile * tile)
        parts, pairs = -(-patches // near), -(-out.blocks // 2)
        return Winograd(
            WINOGRAD, self._image(layer.inputs[0], *layer.paddings), self._image(layer.output),
            Image() if layer.residual is None else self._image(layer.residual),
            weights.data_ptr(), bias.data_ptr(), self.together, out.rows, out.columns, shape.blocks, out.blocks,
            layer.rectify, -(-patches // parts), max(1, pairs // max(1, -(-FEW_ITEMS // parts))),
        )  # fmt: skip


def _items(pixels: int, tile: int, blocks: int, channels: int, depth: int) -> tuple[int, int]:
    """How many tiles and pairs of blocks one item of work has: few filters are read by all, many are shared out."""
    tiles, pairs = -(-pixels // tile), -(-blocks // 2)
    near = max(1, min(tiles, NEAR // (tile * channels * 4)))
    if depth * pairs < MANY:
        near = min(near, -(-tiles // ITEMS))
    parts = -(-tiles // near)
    return near, max(1, pairs // max(1, -(-ITEMS // parts)))
