"""The operators of embeddings that servers hold: look-ups, and ids split by server.

lookup_steps.py says how those run that need a server, or the number of their outputs.
"""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError, ValueRangeError
from refluid.distributed.server.lookup import server_of
from refluid.distributed.server.table_rows import TableRows
from refluid.ops.registry import DType, Long, OpDef, Tensor, op
from refluid.tensor.selected_rows import SelectedRows

# ruff: noqa: B006  # lists as defaults are never changed

_HERE = ["127.0.0.1:6164"]  # Fluid's default endpoint


# -- trainers -------------------------------------------------------------------------------------------------------


@op("Outputs", duplicable="Outputs", nograd="*")
def distributed_lookup_table(
    Ids: list[Tensor], W: Tensor, *, table_names: list[str] = [""], height_sections: list[Long] = [],
    endpoints: list[str] = _HERE, trainer_id: int = 0, lookup_table_version: str = "lookup_table",
    padding_idx: Long = -1, dtype: DType = 5,
) -> list[Tensor]:  # fmt: skip
    """The rows of the batch, from the servers that hold the pieces table_names of W."""
    raise NotImplementedError("distributed_lookup_table runs as part of a program")


@op("Out", duplicable="Out", nograd="*")
def prefetch(X: list[Tensor], *, trainer_id: int = 0, epmap: list[str] = _HERE) -> list[Tensor]:
    """Out[i] are the rows of the ids X[i] of a distributed table, from the server epmap[i]."""
    raise NotImplementedError("prefetch runs as part of a program")


@op("Out", duplicable="Out", nograd="*")
def split_ids(Ids: list[Tensor]) -> list[Tensor]:
    """Out[i] are the different ids of all Ids, or the rows of a sparse gradient, of server i: id modulo servers."""
    raise NotImplementedError("split_ids runs as part of a program")


@op("Out", duplicable="Out", nograd="*")
def merge_ids(Ids: list[Tensor], Rows: list[Tensor], X: list[Tensor]) -> list[Tensor]:
    """Out[i] are the rows of Ids[i], where X[j] has those of the ids Rows[j]."""
    ids, rows = torch.cat([one.reshape(-1) for one in Rows]), torch.cat(X)
    if ids.numel() != rows.shape[0]:
        raise ShapeError(f"Rows has {ids.numel()} ids, but X has {rows.shape[0]} rows")
    known, order = torch.sort(ids)
    return [rows.index_select(0, order[_found(known, one.reshape(-1))]) for one in Ids]


def _found(known: Tensor, ids: Tensor) -> Tensor:
    """The positions of ids among sorted ids."""
    if not ids.numel():
        return ids
    positions = torch.searchsorted(known, ids).clamp_(max=max(known.numel() - 1, 0))
    missing = known[positions] != ids if known.numel() else torch.ones_like(ids, dtype=torch.bool)
    if bool(missing.any()):
        raise ValueRangeError(f"Ids has {int(ids[missing][0])}, but Rows does not")
    return positions


@op("Out", nograd="*")
def fake_init(*, shape: list[Long]) -> Tensor:
    """Stands for a table that servers hold: it has a shape and takes no memory. lookup_steps.py adds `remote`."""
    return torch.empty(shape, device="meta")


def split_among(values: list[Any], servers: int) -> list[Any]:
    """The outputs of split_ids for a number of servers."""
    first = values[0]
    if isinstance(first, SelectedRows):
        if len(values) > 1:
            raise ArgumentError(f"Ids must be one sparse gradient or tensors of ids, got {len(values)} values")
        owner = server_of(first.index, servers)
        places = [(owner == number).nonzero().flatten() for number in range(servers)]
        return [SelectedRows.of(first.index[at], first.value.index_select(0, at), first.n_rows) for at in places]
    ids = torch.unique(torch.cat([one.reshape(-1) for one in values]))
    owner = server_of(ids, servers)
    return [ids[owner == number].unsqueeze(-1) for number in range(servers)]


# -- servers --------------------------------------------------------------------------------------------------------


@op("Out", nograd="*")
def lookup_sparse_table(
    W: Tensor, Ids: Tensor, *, padding_idx: Long = -1, auto_grown_table: bool = True, is_test: bool = False
) -> Tensor:
    """The rows of a table that grows; with is_test an unknown id has zeros and is not added.

    A table of a server begins rows by its initializer, and has zeros for `padding_idx`. SelectedRows whose values have
    more rows than ids give these to new ids, in order. Fluid: auto_grown_table says nothing, they grow in any case.
    """
    ids = Ids.reshape(-1).to(torch.int64)
    if isinstance(W, TableRows):
        return W.table.peek(ids) if is_test else W.table.look_up(ids)
    if not isinstance(W, SelectedRows):
        raise ArgumentError(f"W must be SelectedRows, got {type(W).__name__}")
    known = {row: place for place, row in enumerate(W.rows())}
    if not is_test:
        for row in ids.tolist():
            known.setdefault(row, len(known))
        if len(known) > W.value.shape[0]:
            raise ValueRangeError(f"W has room for {W.value.shape[0]} rows, and Ids need {len(known)}")
        W.set_rows(list(known))
    out = W.value.new_zeros((ids.numel(), *W.value.shape[1:]))
    for place, row in enumerate(ids.tolist()):
        if row in known:
            out[place] = W.value[known[row]]
    return out


@op("", nograd="*", side_effect=True)
def delete_var(X: list[Tensor]) -> None:
    """Clear variables: they hold nothing afterwards."""
    raise NotImplementedError("delete_var runs as part of a program")


def _as_declared(definition: OpDef) -> None:
    """The outputs stay what the program says they are."""
    definition.infer(lambda inputs, attrs: [None] * len(definition.outputs))


for _definition in (
    distributed_lookup_table, prefetch, split_ids, merge_ids, fake_init, lookup_sparse_table, delete_var
):  # fmt: skip
    _as_declared(_definition)
