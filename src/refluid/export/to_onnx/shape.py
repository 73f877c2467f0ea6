"""Tensors in another shape: reshaped, sliced, concatenated, tiled, padded."""

from __future__ import annotations

import torch

from refluid.export.mapping import Ragged, Unsupported, Value, known_sizes
from refluid.export.to_onnx.graph import Graph, maps
from refluid.ops.shape.unsqueeze import with_axes

END = 2**31 - 1


@maps("reshape", "reshape2")
def reshape(g: Graph, X: Value, Shape: Value | None, ShapeTensor: list[Value], *, shape: list[int]) -> str:
    if Shape is None and not ShapeTensor:
        shape = known_sizes(shape, X.shape)
    return g.node("Reshape", X, g.given(shape, Shape, ShapeTensor))


@maps("flatten", "flatten2")
def flatten(g: Graph, X: Value, *, axis: int) -> str:
    return g.node("Flatten", X, axis=axis)


@maps("squeeze", "squeeze2")
def squeeze(g: Graph, X: Value, *, axes: list[int]) -> str:
    if not axes:
        return g.reshape(X, 1) if all(n == 1 for n in X.shape) else g.node("Squeeze", X)
    gone = {axis % X.rank for axis in axes if X.shape[axis] in (1, -1)}  # Fluid leaves axes of other sizes alone
    if len(gone) == X.rank:
        return g.reshape(X, 1)  # there are no tensors without axes
    return g.squeeze(X, *sorted(gone)) if gone else g.node("Identity", X)


@maps("unsqueeze", "unsqueeze2")
def unsqueeze(g: Graph, X: Value, AxesTensor: Value | None, AxesTensorList: list[Value], *, axes: list[int]) -> str:
    if AxesTensor is not None or AxesTensorList:
        raise Unsupported("its axes are tensors; ONNX must know them when the model is written")
    # Fluid puts the axes in one after the other: see where they end up. Real axes are marked as 2.
    places = [i for i, n in enumerate(with_axes([2] * X.rank, axes)) if n == 1]
    return g.unsqueeze(X, *places)


@maps("transpose", "transpose2")
def transpose(g: Graph, X: Value, *, axis: list[int]) -> str:
    return g.transpose(X, *(a % X.rank for a in axis))


@maps("concat")
def concat(g: Graph, X: list[Value], AxisTensor: Value | None, *, axis: int) -> str | Ragged:
    _fixed_axis(AxisTensor)
    out = g.node("Concat", *X, axis=axis)
    if axis % X[0].rank or not all(x.lod for x in X):
        return out
    return Ragged(out, tuple(g.node("Concat", *levels, axis=0) for levels in zip(*(x.lod for x in X))))


@maps("split")
def split(
    g: Graph, X: Value, AxisTensor: Value | None, SectionsTensorList: list[Value], *, sections: list[int], num: int,
    axis: int,
) -> tuple:  # fmt: skip
    _fixed_axis(AxisTensor)
    if num > 0:
        return (g.nodes_of("Split", num, X, axis=axis, num_outputs=num),)
    if SectionsTensorList:
        sizes, count = g.given([], None, SectionsTensorList), len(SectionsTensorList)
    elif -1 in sections:
        known = sum(n for n in sections if n != -1)
        rest = g.node("Sub", g.sizes(X, axis % X.rank, axis % X.rank + 1), g.ints(known))
        sizes, count = g.concat(*(rest if n == -1 else g.ints(n) for n in sections)), len(sections)
    else:
        sizes, count = g.ints(*sections), len(sections)
    return (g.nodes_of("Split", count, X, sizes, axis=axis),)


def _fixed_axis(tensor: Value | None) -> None:
    if tensor is not None:
        raise Unsupported("its axis is a tensor; ONNX must know it when the model is written")


@maps("stack")
def stack(g: Graph, X: list[Value], *, axis: int) -> str:
    place = axis % (X[0].rank + 1)
    return g.concat(*(g.unsqueeze(one, place) for one in X), axis=place)


def _apart(g: Graph, X: Value, axis: int, count: int) -> list[str]:
    parts = g.nodes_of("Split", count, X, axis=axis, num_outputs=count)
    return parts if X.rank == 1 else [g.squeeze(part, axis % X.rank) for part in parts]


@maps("unstack")
def unstack(g: Graph, X: Value, *, axis: int, num: int) -> tuple:
    return (_apart(g, X, axis, num),)


@maps("unbind")
def unbind(g: Graph, X: Value, *, axis: int) -> tuple:
    if X.shape[axis] < 0:
        raise Unsupported(f"axis {axis} must have a fixed size, but X is {list(X.shape)}")
    return (_apart(g, X, axis, X.shape[axis]),)


@maps("slice")
def slice(
    g: Graph,
    Input: Value,
    StartsTensor: Value | None,
    EndsTensor: Value | None,
    StartsTensorList: list[Value],
    EndsTensorList: list[Value],
    *,
    axes: list[int],
    starts: list[int],
    ends: list[int],
    decrease_axis: list[int],
) -> str:
    first = g.given(starts, StartsTensor, StartsTensorList)
    last = g.given(ends, EndsTensor, EndsTensorList)
    out = g.node("Slice", Input, first, last, g.ints(*axes))
    return _dropped(g, out, Input.rank, decrease_axis)


@maps("strided_slice")
def strided_slice(
    g: Graph,
    Input: Value,
    StartsTensor: Value | None,
    EndsTensor: Value | None,
    StridesTensor: Value | None,
    StartsTensorList: list[Value],
    EndsTensorList: list[Value],
    StridesTensorList: list[Value],
    *,
    axes: list[int],
    starts: list[int],
    ends: list[int],
    strides: list[int],
    decrease_axis: list[int],
) -> str:
    first = g.given(starts, StartsTensor, StartsTensorList)
    last = g.given(ends, EndsTensor, EndsTensorList)
    steps = g.given(strides, StridesTensor, StridesTensorList)
    return _dropped(g, g.node("Slice", Input, first, last, g.ints(*axes), steps), Input.rank, decrease_axis)


def _dropped(g: Graph, out: str, rank: int, axes: list[int]) -> str:
    if len(axes) == rank:
        return g.reshape(out, 1)  # there are no tensors without axes
    return g.squeeze(out, *axes)


@maps("reverse")
def reverse(g: Graph, X: Value, *, axis: list[int]) -> str:
    return _backwards(g, X, axis)


@maps("flip")
def flip(g: Graph, X: Value, *, dims: list[int]) -> str:
    return _backwards(g, X, dims)


def _backwards(g: Graph, X: Value, axes: list[int]) -> str:
    n = len(axes)
    return g.node("Slice", X, g.ints(*[-1] * n), g.ints(*[-END] * n), g.ints(*axes), g.ints(*[-1] * n))


@maps("expand")
def expand(
    g: Graph, X: Value, ExpandTimes: Value | None, expand_times_tensor: list[Value], *, expand_times: list[int]
) -> str:  # fmt: skip
    return g.node("Tile", X, g.given(expand_times, ExpandTimes, expand_times_tensor))


@maps("expand_as")
def expand_as(g: Graph, X: Value, target_tensor: Value) -> str:
    return g.node("Tile", X, g.node("Div", g.sizes(target_tensor), g.sizes(X)))


@maps("pad")
def pad(g: Graph, X: Value, *, paddings: list[int], pad_value: float) -> str:
    return g.node("Pad", X, g.ints(*paddings[::2], *paddings[1::2]), g.number(pad_value, X))


@maps("pad2d")
def pad2d(
    g: Graph, X: Value, Paddings: Value | None, *, paddings: list[int], pad_value: float, mode: str, data_format: str
) -> str:  # fmt: skip
    sides = g.given(paddings, Paddings)  # top, bottom, left, right
    order = g.node("Gather", sides, g.ints(0, 2, 1, 3))
    axes = g.ints(2, 3) if data_format == "NCHW" else g.ints(1, 2)
    return g.node("Pad", X, order, g.number(pad_value, X), axes, mode=mode)


@maps("pad_constant_like")
def pad_constant_like(g: Graph, X: Value, Y: Value, *, pad_value: float) -> str:
    behind = g.node("Sub", g.sizes(X), g.sizes(Y))
    return g.node("Pad", Y, g.concat(g.ints(*[0] * Y.rank), behind), g.number(pad_value, Y))


@maps("crop")
def crop(g: Graph, X: Value, Y: Value | None, Offsets: Value | None, *, offsets: list[int], shape: list[int]) -> str:
    return _box(g, X, g.given(offsets, Offsets), shape, None if Y is None else g.sizes(Y))


@maps("crop_tensor")
def crop_tensor(
    g: Graph, X: Value, Shape: Value | None, Offsets: Value | None, ShapeTensor: list[Value],
    OffsetsTensor: list[Value], *, offsets: list[int], shape: list[int],
) -> str:  # fmt: skip
    sizes = g.given(shape, Shape, ShapeTensor) if Shape is not None or ShapeTensor else None
    return _box(g, X, g.given(offsets, Offsets, OffsetsTensor), shape, sizes)


def _box(g: Graph, X: Value, starts: str, shape: list[int], sizes: str | None) -> str:
    """The crop from `starts` on; sizes that are not positive take all that remains."""
    wanted = g.ints(*shape) if sizes is None else sizes
    whole = g.where(g.node("Greater", wanted, g.ints(0)), g.node("Add", starts, wanted), g.ints(END))
    return g.node("Slice", X, starts, whole, g.ints(*range(X.rank)))


@maps("tril_triu")
def tril_triu(g: Graph, X: Value, *, diagonal: int, lower: bool) -> str:
    return g.node("Trilu", X, g.constant(diagonal, torch.int64), upper=int(not lower))


@maps("roll")
def roll(g: Graph, X: Value, *, shifts: list[int], dims: list[int]) -> str:
    out = X.name
    for shift, axis in zip(shifts, dims):
        cut = g.node("Mod", g.ints(-shift), g.sizes(X, axis % X.rank, axis % X.rank + 1))
        tail = g.node("Slice", out, cut, g.ints(END), g.ints(axis))
        out = g.concat(tail, g.node("Slice", out, g.ints(0), cut, g.ints(axis)), axis=axis)
    return out if out != X.name else g.node("Identity", X)
