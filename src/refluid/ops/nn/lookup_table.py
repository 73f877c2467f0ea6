"""lookup_table and lookup_table_v2: rows of a table, chosen by id; what fluid.embedding is made of."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import NotFoundError, ShapeError, ValueRangeError
from refluid.ops.aten import aten
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, Long, OpDef, Shape, Tensor, op
from refluid.tensor.selected_rows import SelectedRows

embedding_dense_backward = aten("embedding_dense_backward")

# What only the parameter server reads.
REMOTE = {
    "is_distributed": "BOOLEAN",
    "remote_prefetch": "BOOLEAN",
    "grad_inplace": "BOOLEAN",
    "trainer_id": "INT",
    "height_sections": "LONGS",
    "epmap": "STRINGS",
    "table_names": "STRINGS",
}


def _register(type: str, column: bool) -> OpDef:
    tables = FLOATS | {torch.int8} if column else FLOATS

    @op(
        type=type,
        lod="Ids",
        dtypes={"W": tables, "Ids": INDICES | {torch.uint64}},
        extra_attrs=REMOTE,
        grad_hints="is_distributed remote_prefetch grad_inplace trainer_id height_sections epmap table_names",
    )
    def lookup_table(W: Tensor, Ids: Tensor, *, is_sparse: bool = False, padding_idx: Long = -1) -> Tensor:
        """Out[..., :] = W[Ids[...]], but zeros where the id is `padding_idx` (-1: there is none).

        lookup_table drops the last axis of Ids, which must be 1; lookup_table_v2 has no such axis.
        """
        if isinstance(W, SelectedRows):  # a table that holds some of its rows
            ids = _ids(Ids, column)
            return _padded(torch.embedding(W.value, _held(W, ids, padding_idx)), ids, padding_idx)
        if W.dim() != 2:
            raise ShapeError(f"W must be a table [rows, width], got {list(W.shape)}")
        ids = _ids(Ids, column)
        if W.is_meta and not ids.is_meta:
            return _padded(_remote(W, ids, padding_idx), ids, padding_idx)
        try:
            # A padding that is no row of the table is not looked up.
            out = torch.embedding(W, ids if padding_idx < W.shape[0] else ids.masked_fill(ids == padding_idx, 0))
        except IndexError:
            outside = ids[(ids < 0) | (ids >= W.shape[0])].flatten()[0]
            raise ValueRangeError(f"Ids has {int(outside)}, but W has rows 0 to {W.shape[0] - 1}") from None
        return _padded(out, ids, padding_idx)

    @lookup_table.infer
    def infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
        table, ids = inputs
        if len(table.shape) != 2 or (column and (len(ids.shape) < 2 or ids.shape[-1] != 1)):
            return None
        return [Spec((*(ids.shape[:-1] if column else ids.shape), table.shape[1]), table.dtype)]

    @lookup_table.grad
    def lookup_table_grad(
        W: Shape, Ids: Tensor, Out_grad: Tensor, *, is_sparse: bool, padding_idx: int
    ) -> Tensor | SelectedRows:
        """The rows that were looked up as SelectedRows if `is_sparse`, else the gradient of the whole table."""
        ids = _ids(Ids, column)
        if is_sparse:  # Fluid: this form includes padding_idx, whose row is never read
            return SelectedRows.of(ids.reshape(-1).to(torch.int64), Out_grad.reshape(-1, W[1]), W[0])
        if padding_idx >= W[0]:
            padded = ids == padding_idx
            ids, Out_grad = ids.masked_fill(padded, 0), Out_grad.masked_fill(padded.unsqueeze(-1), 0.0)
            padding_idx = -1
        return embedding_dense_backward(Out_grad, ids, W[0], padding_idx, False)

    @lookup_table_grad.adds("W")
    def add_rows(total: Tensor, W: Shape, Ids: Tensor, Out_grad: Tensor, *, is_sparse: bool, padding_idx: int) -> bool:
        if is_sparse or padding_idx != -1:
            return False
        total.index_add_(0, _ids(Ids, column).reshape(-1), Out_grad.reshape(-1, W[1]))
        return True

    return lookup_table


def _remote(table: Tensor, ids: Tensor, padding_idx: int) -> Tensor:
    """Rows of a table on parameter servers: the tensor has the shape alone, and an attribute that fetches rows."""
    ask = getattr(table, "remote", None)
    if ask is None:
        raise NotFoundError(
            "W stands for a table that parameter servers hold; the program of a trainer fetches its rows"
        )
    return ask(ids if 0 <= padding_idx < table.shape[0] else ids.masked_fill(ids == padding_idx, 0))


def _padded(out: Tensor, ids: Tensor, padding_idx: int) -> Tensor:
    return out if padding_idx == -1 else out.masked_fill_((ids == padding_idx).unsqueeze(-1), 0.0)


def _held(table: SelectedRows, ids: Tensor, padding_idx: int) -> Tensor:
    """The positions of ids in a table that holds some of its rows; any position for the padding, which is not read."""
    rows, order = torch.sort(table.index)
    positions = torch.searchsorted(rows, ids.to(torch.int64).contiguous()).clamp_(max=rows.numel() - 1)
    missing = (rows[positions] != ids) & (ids != padding_idx)
    if bool(missing.any()):
        raise ValueRangeError(f"Ids has {int(ids[missing][0])}, but W does not hold that row")
    return order[positions]


def _ids(ids: Tensor, column: bool) -> Tensor:
    if ids.dtype is torch.uint64:
        ids = ids.view(torch.int64)
    if not column:
        return ids
    if ids.dim() < 2 or ids.shape[-1] != 1:
        raise ShapeError(f"Ids must have a last axis of 1, got {list(ids.shape)}")
    return ids.squeeze(-1)


LOOKUP_TABLES = (_register("lookup_table", True), _register("lookup_table_v2", False))
