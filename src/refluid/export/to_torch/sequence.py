"""Operators on sequences of different lengths. See Note [LoD outside Fluid] in export/mapping.py."""

from __future__ import annotations

from itertools import pairwise

from refluid.core.dtypes import torch_dtype
from refluid.export.mapping import Ragged, Unsupported, Value, need_lod
from refluid.export.to_torch import helpers
from refluid.export.to_torch.writer import Writer, call, dtype_text, literal, maps


@maps("sequence_pool")
def sequence_pool(w: Writer, X: Value, *, pooltype: str, pad_value: float) -> Ragged:
    pad = literal(pad_value) if pad_value else None
    out = call(w.use(helpers.sequence_pool), X, need_lod(X), literal(pooltype.lower()), pad=pad)
    return Ragged(out, X.lod[:-1])


@maps("sequence_conv")
def sequence_conv(
    w: Writer, X: Value, Filter: Value, *, contextLength: int, contextStart: int, paddingTrainable: bool
) -> str:  # fmt: skip
    if paddingTrainable:
        raise Unsupported("trained paddings (paddingTrainable) cannot be exported")
    return f"{call(w.use(helpers.sequence_windows), X, need_lod(X), contextStart, contextLength)} @ {Filter}"


@maps("sequence_enumerate")
def sequence_enumerate(w: Writer, X: Value, *, win_size: int, pad_value: int) -> str:
    return call(w.use(helpers.sequence_windows), X, need_lod(X), 0, win_size, pad_value)


@maps("sequence_softmax")
def sequence_softmax(w: Writer, X: Value) -> str:
    return call(w.use(helpers.sequence_softmax), X, need_lod(X))


@maps("sequence_reverse")
def sequence_reverse(w: Writer, X: Value) -> str:
    return call(w.use(helpers.sequence_reverse), X, need_lod(X))


@maps("sequence_expand_as")
def sequence_expand_as(w: Writer, X: Value, Y: Value) -> Ragged:
    return Ragged(f"{X}.repeat_interleave({need_lod(Y, 'Y')}, 0)", Y.lod)


@maps("sequence_expand")
def sequence_expand(w: Writer, X: Value, Y: Value, *, ref_level: int) -> Ragged:
    need_lod(Y, "Y")
    times = Y.lod[ref_level]
    if not X.lod:
        return Ragged(f"{X}.repeat_interleave({times}, 0)", ())
    lengths = w.temporary(f"{X}_lengths", f"{need_lod(X, levels=1)}.repeat_interleave({times})")
    return Ragged(call(w.use(helpers.sequence_repeat), X, X.lod[0], times), (lengths,))


@maps("sequence_concat")
def sequence_concat(w: Writer, X: list[Value]) -> Ragged:
    found = [need_lod(x, levels=1) for x in X]
    lengths = w.temporary("lengths", " + ".join(found))
    rows = ", ".join(map(str, X))
    return Ragged(call(w.use(helpers.sequence_concat), f"[{rows}]", f"[{', '.join(found)}]"), (lengths,))


@maps("sequence_pad")
def sequence_pad(w: Writer, X: Value, PadValue: Value, *, padded_length: int) -> tuple[str, str]:
    lengths = need_lod(X, levels=1)
    return call(w.use(helpers.sequence_pad), X, lengths, PadValue, padded_length), lengths


@maps("sequence_unpad")
def sequence_unpad(w: Writer, X: Value, Length: Value) -> Ragged:
    return Ragged(call(w.use(helpers.sequence_unpad), X, Length), (Length.name,))


@maps("sequence_reshape")
def sequence_reshape(w: Writer, X: Value, *, new_dim: int) -> Ragged:
    lengths = w.temporary("lengths", f"{need_lod(X, levels=1)} * {X}.shape[1] // {new_dim}")
    return Ragged(f"{X}.reshape(-1, {new_dim})", (lengths,))


@maps("sequence_mask")
def sequence_mask(w: Writer, X: Value, MaxLenTensor: Value | None, *, maxlen: int, out_dtype: int) -> str:
    size = maxlen if MaxLenTensor is None else f"int({MaxLenTensor})"
    return call(w.use(helpers.sequence_mask), X, size, dtype_text(torch_dtype(out_dtype)))


@maps("im2sequence")
def im2sequence(
    w: Writer, X: Value, Y: Value | None, *, kernels: list[int], strides: list[int], paddings: list[int]
) -> Ragged:  # fmt: skip
    if Y is not None:
        raise Unsupported("images of different sizes in one batch (Y) cannot be exported")
    up, left, down, right = paddings
    x = f"F.pad({X}, {[left, right, up, down]})" if any(paddings) else X.name
    patches = w.temporary("patches", f"F.unfold({x}, {kernels}, stride={strides}).transpose(1, 2)")
    lengths = w.temporary("lengths", f"torch.full([{X}.shape[0]], {patches}.shape[1], device={X}.device)")
    return Ragged(f"{patches}.flatten(0, 1)", (lengths,))


@maps("lod_reset")
def lod_reset(w: Writer, X: Value, Y: Value | None, *, target_lod: list[int], append: bool) -> Ragged:
    if append:
        raise Unsupported("a LoD level that is appended cannot be exported")
    if Y is not None and Y.lod:
        return Ragged(X.name, Y.lod)
    if Y is not None:
        return Ragged(X.name, (w.temporary("lengths", f"{Y}.reshape(-1).long().diff()"),))
    fixed = f"torch.tensor({[b - a for a, b in pairwise(target_lod)]}, device={X}.device)"
    return Ragged(X.name, (w.temporary("lengths", fixed),))
