"""Poolings."""

from __future__ import annotations

from typing import Any

from refluid.export.mapping import Unsupported, Value
from refluid.export.to_onnx.conv import as_pads, channels_first
from refluid.export.to_onnx.graph import Graph, maps
from refluid.ops.nn.geometry import pad_sides


@maps("pool2d", "pool3d")
def pool(
    g: Graph,
    X: Value,
    *,
    pooling_type: str,
    ksize: list[int],
    strides: list[int],
    paddings: list[int],
    padding_algorithm: str,
    global_pooling: bool,
    adaptive: bool,
    exclusive: bool,
    ceil_mode: bool,
    data_format: str,
) -> str:
    def compute(x: Value) -> str:
        if global_pooling:
            return g.node("GlobalMaxPool" if pooling_type == "max" else "GlobalAveragePool", x)
        if adaptive:
            return _adaptive(g, x, ksize, "Max" if pooling_type == "max" else "Mean")
        options: dict[str, Any] = {"kernel_shape": ksize, "strides": strides}
        if min(x.shape[2:]) > 0:
            sides = _whole_windows(x.shape[2:], ksize, strides, paddings, padding_algorithm, ceil_mode)
            options["pads"] = as_pads(sides)
        elif padding_algorithm == "SAME":
            options["auto_pad"] = "SAME_UPPER"
        else:
            options["pads"] = as_pads(pad_sides(paddings, padding_algorithm, x.shape[2:], ksize, strides))
            options["ceil_mode"] = int(ceil_mode)
        if pooling_type == "max":
            return g.node("MaxPool", x, **options)
        return g.node("AveragePool", x, count_include_pad=int(not exclusive), **options)

    return channels_first(g, X, data_format, compute)


def _whole_windows(
    sizes: tuple[int, ...], ksize: list[int], strides: list[int], paddings: list[int], algorithm: str, ceil_mode: bool
) -> list[tuple[int, int]]:
    """Paddings with which every window that Fluid counts is whole: runtimes disagree about ceil_mode."""
    sides = []
    for n, k, s, (before, after) in zip(sizes, ksize, strides, pad_sides(paddings, algorithm, sizes, ksize, strides)):
        room = n + before + after - k
        count = (room + s - 1 if ceil_mode else room if room >= 0 else -(-room // s) * s) // s + 1
        end = max((count - 1) * s + k - n - before, 0)
        if before >= k or end >= k:
            raise Unsupported(f"padding {max(before, end)} takes whole windows of size {k}, which ONNX refuses")
        sides.append((before, end))
    return sides


def _adaptive(g: Graph, x: Value, parts: list[int], kind: str) -> str:
    """Each axis split into nearly equal bins, which may overlap, as torch and Fluid split it."""
    if all(n == 1 for n in parts):
        return g.reduce(kind, x, list(range(2, x.rank)), True)
    if -1 in x.shape[2:]:
        raise Unsupported(f"adaptive pooling needs a fixed input size, but X is {list(x.shape)}")
    if all(n % count == 0 for n, count in zip(x.shape[2:], parts)):
        window = [n // count for n, count in zip(x.shape[2:], parts)]
        return g.node("MaxPool" if kind == "Max" else "AveragePool", x, kernel_shape=window, strides=window)
    out = x.name
    for axis, (n, count) in enumerate(zip(x.shape[2:], parts), 2):
        cuts = [(i * n // count, -(-(i + 1) * n // count)) for i in range(count)]
        pieces = [g.node("Slice", out, g.ints(start), g.ints(end), g.ints(axis)) for start, end in cuts]
        out = g.concat(*(g.reduce(kind, piece, [axis], True) for piece in pieces), axis=axis)
    return out
