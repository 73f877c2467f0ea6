"""fused_embedding_seq_pool: the sum of the embeddings of every sequence of ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, LoD, Long, Shape, Tensor, op
from refluid.ops.sequence.segments import need_lod, per_row
from refluid.tensor.selected_rows import SelectedRows

SUM = 0  # of the ways in which ATen puts a bag of embeddings together


@op(
    "Out",
    dtypes={"W": FLOATS, "Ids": INDICES},
    extra_attrs={"grad_inplace": "BOOLEAN"},
    grad_hints="grad_inplace @ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@",
)
def fused_embedding_seq_pool(
    W: Tensor,
    Ids: Tensor,
    Ids_lod: LoD | None,
    *,
    combiner: str = "sum",
    padding_idx: Long = -1,
    is_sparse: bool = False,
) -> Tensor:
    """Out[i] is the sum of the rows W[id] for the ids [total length, 1] of sequence i, but for padding_idx."""
    _check(W.shape, Ids.shape, combiner)
    lod = need_lod(Ids_lod, Ids.shape[0], "Ids", levels=1)
    ids = Ids.reshape(-1).to(torch.int64)
    outside = ids[(ids < 0) | (ids >= W.shape[0])]
    if len(outside):
        raise ValueRangeError(f"Ids has {int(outside[0])}, but W has rows 0 to {W.shape[0] - 1}")
    offsets = lod.offsets_tensor(device=ids.device)
    padding = None if padding_idx == -1 else padding_idx
    return torch.embedding_bag(W, ids, offsets, False, SUM, False, None, True, padding)[0]


@fused_embedding_seq_pool.grad
def fused_embedding_seq_pool_grad(
    W: Shape, Ids: Tensor, Ids_lod: LoD | None, Out_grad: Tensor, *, is_sparse: bool, padding_idx: int
) -> Tensor | SelectedRows:
    """The rows that were looked up as SelectedRows if `is_sparse`, else the gradient of the whole table."""
    lod = need_lod(Ids_lod, Ids.shape[0], "Ids", levels=1)
    ids, rows = Ids.reshape(-1).to(torch.int64), per_row(Out_grad, lod)
    if padding_idx >= 0:
        rows = rows.masked_fill((ids == padding_idx).unsqueeze(1), 0.0)
    if is_sparse:
        return SelectedRows.of(ids, rows, W[0])
    return rows.new_zeros(W).index_add_(0, ids, rows)


@fused_embedding_seq_pool.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    table, ids = inputs
    _check(table.shape, ids.shape, attrs["combiner"])
    return [Spec((-1, table.shape[1]), table.dtype, 0)]


@fused_embedding_seq_pool.lods
def _lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return [None]


def _check(table: Sequence[int], ids: Sequence[int], combiner: str) -> None:
    if combiner != "sum":
        raise ArgumentError(f"combiner must be 'sum', got {combiner!r}")
    if len(table) != 2:
        raise ShapeError(f"W must be a table [rows, width], got {list(table)}")
    if len(ids) != 2 or ids[1] != 1:
        raise ShapeError(f"Ids must be [total length, 1], got {list(ids)}")
