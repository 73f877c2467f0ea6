"""dequantize_abs_max, dequantize_log and lookup_table_dequant: dequantization of 8-bit values."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, Long, Tensor, op

BYTES = frozenset({torch.int8})


@op("Out", nograd="*", lod="X", dtypes={"X": BYTES, "Scale": FLOATS})
def dequantize_abs_max(X: Tensor, Scale: Tensor, *, max_range: float) -> Tensor:
    """Out = X * Scale / max_range."""
    return X.to(Scale.dtype) * Scale.reshape(-1)[0] / max_range


@op("Out", nograd="*", lod="X", dtypes={"X": BYTES, "Dict": FLOATS})
def dequantize_log(X: Tensor, Dict: Tensor) -> Tensor:
    """Out = Dict[X], and -Dict[X + 128] for an X below zero; Dict has 128 elements."""
    index = X.to(torch.int64)
    return torch.where(index < 0, -Dict[index % 128], Dict[index % 128])


@op("Out", nograd="*", lod="Ids", dtypes={"W": FLOATS, "Ids": INDICES})
def lookup_table_dequant(W: Tensor, Ids: Tensor, *, padding_idx: Long = -1) -> Tensor:
    """Out[i] is row Ids[i] of the table W, zeros for padding_idx (-1: there is none).

    A row of W is its smallest and its largest value, then one byte for each element, four in a float32: byte b stands
    for smallest + b * (largest - smallest) / 256.
    """
    ids = Ids.reshape(-1).to(torch.int64)
    outside = ids[(ids < 0) | (ids >= W.shape[0])]
    outside = outside[outside != padding_idx] if padding_idx != -1 else outside
    if len(outside):
        raise ValueRangeError(f"Ids has {int(outside[0])}, but W has rows 0 to {W.shape[0] - 1}")
    rows = W.index_select(0, ids.clamp(0, W.shape[0] - 1))
    smallest, largest = rows[:, :1], rows[:, 1:2]
    out = rows[:, 2:].contiguous().view(torch.uint8) * ((largest - smallest) / 256) + smallest
    if padding_idx != -1:
        out = out.masked_fill((ids == padding_idx).unsqueeze(1), 0.0)
    return out.reshape(*_outer(Ids.shape), out.shape[1])


@lookup_table_dequant.infer
def lookup_table_dequant_shape(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    table, ids = inputs
    if len(table.shape) != 2 or 0 <= table.shape[1] < 3:
        raise ShapeError(f"W must be a table with three columns or more, got {list(table.shape)}")
    return [Spec((*_outer(ids.shape), (table.shape[1] - 2) * 4), table.dtype)]


def _outer(ids: tuple[int, ...]) -> tuple[int, ...]:
    if not ids or ids[-1] != 1:
        raise ShapeError(f"Ids must have a last axis of 1, got {list(ids)}")
    return tuple(ids[:-1])
