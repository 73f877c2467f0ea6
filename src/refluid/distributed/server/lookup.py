"""Looks rows up at servers: all rows of a step, in one exchange with every server that holds some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch

from refluid.core.errors import EnforceNotMet, ShapeError, ValueRangeError
from refluid.ir.operator import Operator

Wanted = dict[str, dict[str, torch.Tensor]]  # endpoint -> name -> ids
Fetch = Callable[[Wanted], Wanted]  # the answer has rows in place of ids


def server_of(ids: torch.Tensor, servers: int) -> torch.Tensor:
    """Which server has the rows of ids in a distributed table: the id modulo servers, taken as an unsigned number."""
    found = ids % servers
    wraps = 2**64 % servers
    return torch.where(ids < 0, (found + wraps) % servers, found) if wraps else found


@dataclass(frozen=True)
class Placement:
    """Where the rows of a table are: `names[i]` at `endpoints[i]`.

    `heights` has the rows of each piece of a parameter that is cut along its first axis; it is empty for a distributed
    table, whose ids go by `server_of`.
    """

    names: tuple[str, ...]
    endpoints: tuple[str, ...]
    heights: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        counts = {len(self.names), len(self.endpoints), len(self.heights or self.names)}
        if len(counts) > 1:
            raise EnforceNotMet(
                f"{len(self.names)} pieces {', '.join(self.names)} lie at {len(self.endpoints)} servers "
                f"and have {len(self.heights)} heights"
            )


@dataclass
class LookUp:
    """One variable of ids and the operator that looks it up, if errors about ids name it."""

    padding: int  # the id whose row is zeros; -1 for none
    column: bool  # the last axis of the ids is 1 and is removed
    operator: Operator | None = None

    def refuse(self, error: EnforceNotMet) -> EnforceNotMet:
        return error if self.operator is None else error.within(self.operator.type, self.operator.details())

    def flat(self, ids: torch.Tensor) -> torch.Tensor:
        if ids.dtype is torch.uint64:
            ids = ids.view(torch.int64)
        if self.column and (ids.dim() < 2 or ids.shape[-1] != 1):
            raise self.refuse(ShapeError(f"Ids must have a last axis of 1, got {list(ids.shape)}"))
        return ids.reshape(-1).to(torch.int64)

    def shaped(self, ids: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        shape = ids.shape[:-1] if self.column else ids.shape
        return rows.view(*shape, *rows.shape[1:])


class TableLookUps:
    """The look-ups of a step in one table: every id is requested once."""

    def __init__(self, placement: Placement, look_ups: list[LookUp], width: int, dtype: torch.dtype):
        self.placement, self.look_ups = placement, look_ups
        self.width, self.dtype = width, dtype
        self.ends = list(accumulate(placement.heights))

    def ask(self, values: Sequence[torch.Tensor], wanted: Wanted) -> _Asked:
        """Add the ids to what is wanted of servers."""
        flat = [one.flat(ids) for one, ids in zip(self.look_ups, values, strict=True)]
        ids, places = torch.unique(flat[0] if len(flat) == 1 else torch.cat(flat), return_inverse=True)
        distinct, outside = ids.numel(), 0
        if self.ends:
            outside, ids = self._inside(ids, flat)
            pieces, order = self._cut(ids), None
        else:
            pieces, order = self._dealt(ids)
        for name, endpoint, piece in zip(self.placement.names, self.placement.endpoints, pieces, strict=True):
            if piece.numel():
                wanted.setdefault(endpoint, {})[name] = piece
        return _Asked(self, flat, distinct, places, order, outside)

    def _inside(self, ids: torch.Tensor, flat: list[torch.Tensor]) -> tuple[int, torch.Tensor]:
        """The number of sorted ids below the table, and the ids inside it; those outside must be paddings."""
        if not ids.numel() or (int(ids[0]) >= 0 and int(ids[-1]) < self.ends[-1]):
            return 0, ids
        for look_up, ids_of_one in zip(self.look_ups, flat, strict=True):
            bad = ids_of_one[
                ((ids_of_one < 0) | (ids_of_one >= self.ends[-1]))
                & ((ids_of_one != look_up.padding) | (look_up.padding == -1))
            ]
            if bad.numel():
                told = f"Ids has {int(bad[0])}, but W has rows 0 to {self.ends[-1] - 1}"
                raise look_up.refuse(ValueRangeError(told))
        inside = (ids >= 0) & (ids < self.ends[-1])
        return int((ids < 0).sum()), ids[inside]

    def _cut(self, ids: torch.Tensor) -> list[torch.Tensor]:
        """Sorted ids by the piece that they are in, counted from its first row."""
        if len(self.ends) == 1:
            return [ids]
        stops = torch.searchsorted(ids, torch.tensor(self.ends)).tolist()
        starts, firsts = [0, *stops[:-1]], [0, *self.ends[:-1]]
        return [ids[start:stop] - first for start, stop, first in zip(starts, stops, firsts, strict=True)]

    def _dealt(self, ids: torch.Tensor) -> tuple[list[torch.Tensor], torch.Tensor]:
        """Ids by server, and where each of them is found among all that come back."""
        servers = len(self.placement.names)
        owner = server_of(ids, servers)
        by_server = torch.argsort(owner, stable=True)
        order = torch.empty_like(by_server)
        order[by_server] = torch.arange(ids.numel())
        return list(ids[by_server].split(torch.bincount(owner, minlength=servers).tolist())), order


@dataclass
class _Asked:
    """Requested ids, and how the returned rows map to them."""

    table: TableLookUps
    flat: list[torch.Tensor]
    distinct: int
    places: torch.Tensor  # of every id among the distinct ones
    order: torch.Tensor | None  # of the distinct ones among the rows; None: as they come
    outside: int  # distinct ids before the first row, which are paddings

    def take(self, values: Sequence[torch.Tensor], answers: Wanted) -> list[torch.Tensor]:
        """The rows of every variable of ids."""
        rows, places = self._rows(answers), self.places if self.order is None else self.order[self.places]
        parts = rows.index_select(0, places).split([one.numel() for one in self.flat])
        results = []
        for look_up, ids, flat, out in zip(self.table.look_ups, values, self.flat, parts, strict=True):
            if look_up.padding != -1:
                out.masked_fill_((flat == look_up.padding).unsqueeze(-1), 0.0)
            results.append(look_up.shaped(ids, out))
        return results

    def _rows(self, answers: Wanted) -> torch.Tensor:
        placement = self.table.placement
        pieces = [
            answers[endpoint][name]
            for name, endpoint in zip(placement.names, placement.endpoints, strict=True)
            if name in answers.get(endpoint, {})
        ]
        none = torch.zeros((self.outside, self.table.width), dtype=self.table.dtype)
        rows = torch.cat([none, *pieces]) if self.outside or len(pieces) != 1 else pieces[0]
        if rows.shape[0] < self.distinct:  # paddings behind the last row
            rows = torch.cat([rows, rows.new_zeros((self.distinct - rows.shape[0], *rows.shape[1:]))])
        return rows


def look_up(tables: list[TableLookUps], values: list[list[torch.Tensor]], fetch: Fetch) -> list[list[torch.Tensor]]:
    """The rows of all ids of all tables; `values` and the answer have a list for every table."""
    wanted: Wanted = {}
    asked = [table.ask(ids, wanted) for table, ids in zip(tables, values, strict=True)]
    found = fetch(wanted) if wanted else {}
    return [one.take(ids, found) for one, ids in zip(asked, values, strict=True)]
