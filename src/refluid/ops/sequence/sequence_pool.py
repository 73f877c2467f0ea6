"""sequence_pool: every sequence of the last LoD level becomes one row."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, LoD, Shape, Tensor, op
from refluid.ops.sequence.segments import has_empty, need_lod, per_row, segment_sum

TYPES = ("AVERAGE", "SUM", "SQRT", "MAX", "LAST", "FIRST")


@op("Out MaxIndex", intermediate="MaxIndex", dispensable="MaxIndex", dtypes={"X": FLOATS})
def sequence_pool(
    X: Tensor, X_lod: LoD | None, *, pooltype: str = "AVERAGE", pad_value: float = 0.0, is_test: bool = False
) -> tuple[Tensor, Tensor | None]:
    """Out[i] is the sum, average, sum / sqrt(length), maximum, last or first of the rows of sequence i.

    An empty sequence gives `pad_value`. MaxIndex (for MAX, in training) is the row number of each maximum.
    """
    lod, index = need_lod(X_lod, X.shape[0]), None
    if pooltype == "MAX":
        out = _maxima(X, lod)
        if not is_test:
            index = _max_rows(X, out, lod)
    elif pooltype in ("FIRST", "LAST"):
        out = X.new_zeros(lod.count(), *X.shape[1:]) if not len(X) else X.index_select(0, _end_rows(lod, pooltype, X))
    else:
        _check_type(pooltype)
        out = segment_sum(X, lod)
        if pooltype != "SUM":
            out = out / _divisor(lod, pooltype, out)
    if has_empty(lod):
        out = out.masked_fill(_empty(lod, out), pad_value)
    return out, index


@sequence_pool.grad
def sequence_pool_grad(
    X: Shape, X_lod: LoD | None, MaxIndex: Tensor | None, Out_grad: Tensor, *, pooltype: str
) -> Tensor:
    lod = need_lod(X_lod, X[0])
    if pooltype == "SUM":
        return per_row(Out_grad, lod)
    if pooltype in ("AVERAGE", "SQRT"):
        return per_row(Out_grad / _divisor(lod, pooltype, Out_grad), lod)
    if has_empty(lod):
        Out_grad = Out_grad.masked_fill(_empty(lod, Out_grad), 0)
    if not X[0]:
        return Out_grad.new_zeros(X)
    if pooltype == "MAX":
        if MaxIndex is None:
            raise ArgumentError("the gradient of a maximum needs MaxIndex, which is not computed when is_test is True")
        return Out_grad.new_zeros(X).scatter_add_(0, MaxIndex.long().clamp_min(0), Out_grad)
    return Out_grad.new_zeros(X).index_add_(0, _end_rows(lod, pooltype, Out_grad), Out_grad)


@sequence_pool.infer
def sequence_pool_shape(inputs: list, attrs: dict) -> list:
    x: Spec = inputs[0]
    _check_type(attrs["pooltype"])
    shape = (-1, *x.shape[1:])
    index = Spec(shape, torch.int32, 0) if attrs["pooltype"] == "MAX" else None
    return [Spec(shape, x.dtype, max(x.lod_level - 1, 0)), index]


@sequence_pool.lods
def sequence_pool_lods(ins: list, values: list, attrs: dict) -> list:
    return [ins[0].outer() if ins[0] is not None else None, None]


def _check_type(pooltype: str) -> None:
    if pooltype not in TYPES:
        raise ArgumentError(f"pooltype must be one of {', '.join(TYPES)}, got {pooltype!r}")


def _column(values: Tensor, like: Tensor) -> Tensor:
    """One value per sequence, shaped to broadcast over rows like those of `like`."""
    return values.reshape(-1, *[1] * (like.dim() - 1))


def _divisor(lod: LoD, pooltype: str, like: Tensor) -> Tensor:
    lengths = lod.lengths_tensor(device=like.device).clamp_min(1).to(like.dtype)
    return _column(lengths.sqrt() if pooltype == "SQRT" else lengths, like)


def _empty(lod: LoD, like: Tensor) -> Tensor:
    return _column(lod.lengths_tensor(device=like.device) == 0, like)


def _end_rows(lod: LoD, pooltype: str, like: Tensor) -> Tensor:
    """The first or last row of every sequence; some row for an empty one."""
    offsets = lod.offsets_tensor(device=like.device)
    rows = offsets[:-1] if pooltype == "FIRST" else offsets[1:] - 1
    return rows.clamp(0, lod.rows - 1) if has_empty(lod) else rows


def _maxima(X: Tensor, lod: LoD) -> Tensor:
    sequence = _column(lod.segment_ids(device=X.device), X).expand_as(X)
    out = X.new_zeros(lod.count(), *X.shape[1:])
    return out.scatter_reduce(0, sequence, X, "amax", include_self=False)


def _max_rows(X: Tensor, maxima: Tensor, lod: LoD) -> Tensor:
    """The first row that is equal to the maximum, -1 for an empty sequence; int32, as in Fluid."""
    X, maxima, n = X.detach(), maxima.detach(), X.shape[0]
    if X.dtype == torch.float16:  # which cannot count rows
        X, maxima = X.float(), maxima.float()
    rows = _column(torch.arange(n, dtype=X.dtype, device=X.device), X)
    # The row number where the element is the maximum, a number beyond all rows elsewhere. torch.where takes four times
    # as long.
    candidates = per_row(maxima, lod).ne_(X).mul_(n).add_(rows)
    sequence = _column(lod.segment_ids(device=X.device), X).expand_as(X)
    max_rows = torch.full_like(maxima, -1).scatter_reduce_(0, sequence, candidates, "amin", include_self=False)
    return max_rows.clamp_max_(n - 1).to(torch.int32)  # no row is equal to a maximum of NaN; any will do
