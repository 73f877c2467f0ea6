"""Operators on sequences of different lengths. See Note [LoD outside Fluid] in export/mapping.py."""

from __future__ import annotations

from itertools import pairwise

import torch

from refluid.export.mapping import Ragged, Unsupported, Value, need_lod
from refluid.export.to_onnx.graph import Graph, maps

INT = torch.int64


def starts(g: Graph, lengths: str) -> str:
    """The offset of the first row of every sequence, int64 [sequences]."""
    return g.once(("starts", lengths), lambda: g.node("CumSum", lengths, g.constant(0, INT), exclusive=1))


def count(g: Graph, lengths: str) -> str:
    """The number of sequences, int64 [1]."""
    return g.once(("count", lengths), lambda: g.sizes(lengths))


def total(g: Graph, lengths: str) -> str:
    """The number of rows, int64 [1]."""
    return g.once(("total", lengths), lambda: g.reduce("Sum", lengths, [0], True))


def arange(g: Graph, size: str) -> str:
    """0, 1, .. for a size [1]."""
    return g.once(("arange", size), lambda: g.node("Range", g.constant(0, INT), g.reshape(size), g.constant(1, INT)))


def segments(g: Graph, lengths: str) -> str:
    """The sequence that every row is in, int64 [rows]: the cumulative sum of marks at the beginnings."""

    def make() -> str:
        rows = total(g, lengths)
        # One cell more: empty sequences at the end begin behind the last row.
        cells = g.full(g.node("Add", rows, g.ints(1)), 0, INT)
        ones = g.full(count(g, lengths), 1, INT)
        marks = g.node("ScatterElements", cells, starts(g, lengths), ones, axis=0, reduction="add")
        sums = g.node("CumSum", marks, g.constant(0, INT))
        return g.node("Sub", g.node("Slice", sums, g.ints(0), rows), g.ints(1))

    return g.once(("segments", lengths), make)


def row_numbers(g: Graph, lengths: str) -> str:
    return arange(g, total(g, lengths))


def _column(g: Graph, per_sequence: str, rank: int) -> str:
    """One value per sequence, shaped to broadcast over rows of this rank."""
    return g.reshape(per_sequence, -1, *[1] * (rank - 1))


@maps("sequence_pool")
def sequence_pool(g: Graph, X: Value, *, pooltype: str, pad_value: float) -> Ragged:
    lengths = need_lod(X)
    if pooltype in ("FIRST", "LAST"):
        out = _ends(g, X, lengths, pooltype)
    else:
        shape = g.concat(count(g, lengths), g.sizes(X, 1)) if X.rank > 1 else count(g, lengths)
        floor = torch.finfo(X.dtype).min if pooltype == "MAX" else 0
        places = g.unsqueeze(segments(g, lengths), 1)
        reduction = "max" if pooltype == "MAX" else "add"
        out = g.node("ScatterND", g.full(shape, floor, X.dtype), places, X, reduction=reduction)
        if pooltype in ("AVERAGE", "SQRT"):
            divisor = g.cast(g.node("Max", lengths, g.ints(1)), X.dtype)
            divisor = g.node("Sqrt", divisor) if pooltype == "SQRT" else divisor
            out = g.node("Div", out, _column(g, divisor, X.rank))
    empty = _column(g, g.node("Equal", lengths, g.ints(0)), X.rank)
    return Ragged(g.where(empty, g.number(pad_value, X), out), X.lod[:-1])


def _ends(g: Graph, X: Value, lengths: str, pooltype: str) -> str:
    """The first or last row of every sequence; any row for an empty one, which is overwritten."""
    # A row more than there are, so that there is one to take even if all sequences are empty.
    spare = g.node("Pad", X, g.ints(*[0] * X.rank, 1, *[0] * (X.rank - 1)))
    rows = starts(g, lengths)
    if pooltype == "LAST":
        rows = g.node("Max", g.node("Sub", g.node("Add", rows, lengths), g.ints(1)), g.ints(0))
    return g.node("Gather", spare, rows, axis=0)


def windows(g: Graph, x: Value, lengths: str, start: int, length: int, pad: float) -> str:
    """[rows, width] -> [rows, length, width]: the rows around every row, `pad` where they leave the sequence."""
    here = row_numbers(g, lengths)
    around = g.node("Add", g.unsqueeze(here, 1), g.ints(*range(start, start + length)))
    inside = _inside(g, around, lengths)
    rows = g.where(inside, around, g.unsqueeze(here, 1))
    return g.where(g.unsqueeze(inside, 2), g.node("Gather", x, rows, axis=0), g.number(pad, x))


def _inside(g: Graph, around: str, lengths: str) -> str:
    first = g.node("Gather", starts(g, lengths), segments(g, lengths))
    last = g.node("Add", first, g.node("Gather", lengths, segments(g, lengths)))
    return g.node(
        "And",
        g.node("GreaterOrEqual", around, g.unsqueeze(first, 1)),
        g.node("Less", around, g.unsqueeze(last, 1)),
    )


@maps("sequence_conv")
def sequence_conv(
    g: Graph, X: Value, Filter: Value, *, contextLength: int, contextStart: int, paddingTrainable: bool
) -> str:  # fmt: skip
    if paddingTrainable:
        raise Unsupported("trained paddings (paddingTrainable) cannot be exported")
    around = windows(g, X, need_lod(X), contextStart, contextLength, 0)
    return g.node("MatMul", g.reshape(around, -1, Filter.shape[0]), Filter)


@maps("sequence_enumerate")
def sequence_enumerate(g: Graph, X: Value, *, win_size: int, pad_value: int) -> str:
    return g.squeeze(windows(g, X, need_lod(X), 0, win_size, pad_value), 2)


@maps("sequence_softmax")
def sequence_softmax(g: Graph, X: Value) -> str:
    lengths = need_lod(X)
    x, ids = g.reshape(X, -1), segments(g, lengths)
    lowest = g.full(count(g, lengths), torch.finfo(X.dtype).min, X.dtype)
    highest = g.node("ScatterElements", lowest, ids, x, axis=0, reduction="max")
    powers = g.node("Exp", g.node("Sub", x, g.node("Gather", highest, ids)))
    zeros = g.full(count(g, lengths), 0, X.dtype)
    sums = g.node("ScatterElements", zeros, ids, powers, axis=0, reduction="add")
    return g.node("Reshape", g.node("Div", powers, g.node("Gather", sums, ids)), g.sizes(X))


@maps("sequence_reverse")
def sequence_reverse(g: Graph, X: Value) -> str:
    lengths = need_lod(X)
    ends = g.node("Sub", g.node("Add", g.node("Add", starts(g, lengths), starts(g, lengths)), lengths), g.ints(1))
    mirrored = g.node("Sub", g.node("Gather", ends, segments(g, lengths)), row_numbers(g, lengths))
    return g.node("Gather", X, mirrored, axis=0)


@maps("sequence_expand_as")
def sequence_expand_as(g: Graph, X: Value, Y: Value) -> Ragged:
    return Ragged(g.node("Gather", X, segments(g, need_lod(Y, "Y")), axis=0), Y.lod)


@maps("sequence_expand")
def sequence_expand(g: Graph, X: Value, Y: Value, *, ref_level: int) -> Ragged:
    need_lod(Y, "Y")
    if X.lod:
        raise Unsupported("sequences (X with a LoD) that are repeated cannot be exported; rows can")
    times = Y.lod[ref_level]
    return Ragged(g.node("Gather", X, segments(g, times), axis=0), ())


@maps("sequence_concat")
def sequence_concat(g: Graph, X: list[Value]) -> Ragged:
    lods = [need_lod(x, levels=1) for x in X]
    rows = g.concat(*X, axis=0)
    ids = g.concat(*(segments(g, lengths) for lengths in lods), axis=0)
    # TopK leaves equal ids in their order: so rows of one sequence stay in the order of the inputs.
    _, order = g.nodes_of("TopK", 2, ids, g.sizes(ids), axis=0, largest=0, sorted=1)
    lengths = lods[0]
    for more in lods[1:]:
        lengths = g.node("Add", lengths, more)
    return Ragged(g.node("Gather", rows, order, axis=0), (lengths,))


@maps("sequence_pad")
def sequence_pad(g: Graph, X: Value, PadValue: Value, *, padded_length: int) -> tuple[str, str]:
    lengths = need_lod(X, levels=1)
    size = g.reduce("Max", lengths, [0], True) if padded_length == -1 else g.ints(padded_length)
    shape = g.concat(count(g, lengths), size, g.sizes(X, 1)) if X.rank > 1 else g.concat(count(g, lengths), size)
    pad = PadValue.name if PadValue.rank == X.rank - 1 and PadValue.shape != (1,) else g.reshape(PadValue)
    ids = segments(g, lengths)
    place = g.node("Sub", row_numbers(g, lengths), g.node("Gather", starts(g, lengths), ids))
    places = g.concat(g.unsqueeze(ids, 1), g.unsqueeze(place, 1), axis=1)
    return g.node("ScatterND", g.node("Expand", pad, shape), places, X), g.node("Identity", lengths)


@maps("sequence_unpad")
def sequence_unpad(g: Graph, X: Value, Length: Value) -> Ragged:
    lengths = g.cast(g.reshape(Length, -1), INT)
    kept = g.node("Less", arange(g, g.sizes(X, 1, 2)), g.unsqueeze(lengths, 1))
    rows = g.node("GatherND", X, g.transpose(g.node("NonZero", kept), 1, 0))
    return Ragged(rows if X.rank > 2 else g.unsqueeze(rows, 1), (lengths,))


@maps("sequence_reshape")
def sequence_reshape(g: Graph, X: Value, *, new_dim: int) -> Ragged:
    lengths = need_lod(X, levels=1)
    numbers = g.node("Mul", lengths, g.sizes(X, 1, 2))
    return Ragged(g.reshape(X, -1, new_dim), (g.node("Div", numbers, g.ints(new_dim)),))


@maps("im2sequence")
def im2sequence(
    g: Graph, X: Value, Y: Value | None, *, kernels: list[int], strides: list[int], paddings: list[int]
) -> Ragged:  # fmt: skip
    if Y is not None:
        raise Unsupported("images of different sizes in one batch (Y) cannot be exported")
    channels, numbers = X.shape[1], X.shape[1] * kernels[0] * kernels[1]
    # A convolution whose filters take one cell each copies the patches.
    taking = g.constant(torch.eye(numbers).reshape(numbers, channels, *kernels).numpy(), X.dtype)
    patches = g.node("Conv", X, taking, strides=strides, pads=paddings, kernel_shape=kernels)
    places = g.node("Mul", g.sizes(patches, 2, 3), g.sizes(patches, 3, 4))
    rows = g.reshape(g.transpose(patches, 0, 2, 3, 1), -1, numbers)
    return Ragged(rows, (g.node("Expand", places, g.sizes(X, 0, 1)),))


@maps("lod_reset")
def lod_reset(g: Graph, X: Value, Y: Value | None, *, target_lod: list[int], append: bool) -> Ragged:
    if append:
        raise Unsupported("a LoD level that is appended cannot be exported")
    if Y is not None and Y.lod:
        return Ragged(g.node("Identity", X), Y.lod)
    if Y is None:
        return Ragged(g.node("Identity", X), (g.ints(*(b - a for a, b in pairwise(target_lod))),))
    offsets = g.cast(g.reshape(Y, -1), INT)
    end = g.ints(2**31 - 1)
    lengths = g.node("Sub", g.node("Slice", offsets, g.ints(1), end), g.node("Slice", offsets, g.ints(0), g.ints(-1)))
    return Ragged(g.node("Identity", X), (lengths,))
