"""The row of every id: open addressing over int64, a batch of ids at a time."""

from __future__ import annotations

import torch

from refluid.core.errors import ValueRangeError

_EMPTY = -1
_MOST_ROWS = 2**31 - 1  # a slot is an int32, half of what memory an int64 would take


def mixed(x: torch.Tensor) -> torch.Tensor:
    """int64 numbers whose bits all depend on all bits of `x` (the finaliser of splitmix64); equal only for equal x."""
    x = (x ^ _shifted(x, 30)) * -0x40A7B892E31B1A47
    x = (x ^ _shifted(x, 27)) * -0x6B2FB644ECCEEE15
    return x ^ _shifted(x, 31)


def _shifted(x: torch.Tensor, by: int) -> torch.Tensor:
    """Shifted right without the sign, which `>>` would copy."""
    return (x >> by) & ((1 << (64 - by)) - 1)


class IdIndex:
    """Numbers ids 0, 1, 2, ... in the order in which they were added. Any int64 is an id.

    A slot holds the number of a row, and the row's id is kept by number: a slot takes four bytes, and at most half of
    the slots are taken, so that an id is found after one or two probes.
    """

    def __init__(self) -> None:
        self._slots = torch.full((1024,), _EMPTY, dtype=torch.int32)
        self._ids = torch.empty(512, dtype=torch.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def ids(self) -> torch.Tensor:
        """The id of every row, in the order of the rows; a view."""
        return self._ids[: self._count]

    def find(self, ids: torch.Tensor) -> torch.Tensor:
        """The row of every id, -1 for an unknown one. Ids may repeat."""
        rows = torch.full_like(ids, _EMPTY)
        last = self._slots.numel() - 1
        places = mixed(ids) & last
        open_ = torch.arange(ids.numel())
        while open_.numel():
            candidates = self._slots[places].long()
            taken = candidates != _EMPTY
            right = taken & (self._ids[candidates.clamp_min(0)] == ids[open_])
            rows[open_[right]] = candidates[right]
            further = taken & ~right
            open_, places = open_[further], (places[further] + 1) & last
        return rows

    def add(self, ids: torch.Tensor) -> torch.Tensor:
        """The row of every id; unknown ids get the next rows, in their order."""
        rows = self.find(ids)
        missing = rows == _EMPTY
        if missing.any():
            self._append(_in_order_of_coming(ids[missing]))
            rows[missing] = self.find(ids[missing])
        return rows

    def _append(self, new: torch.Tensor) -> None:
        start, count = self._count, self._count + new.numel()
        if count > _MOST_ROWS:
            raise ValueRangeError(f"a table holds at most {_MOST_ROWS} rows on one server, {count} are asked for")
        if count > self._ids.numel():
            grown = torch.empty(max(count, 2 * self._ids.numel()), dtype=torch.int64)
            grown[:start] = self._ids[:start]
            self._ids = grown
        self._ids[start:count] = new
        self._count = count
        if 2 * count <= self._slots.numel():
            self._place(torch.arange(start, count))
            return
        self._slots = torch.full((1 << (2 * count).bit_length(),), _EMPTY, dtype=torch.int32)
        self._place(torch.arange(count))

    def _place(self, rows: torch.Tensor) -> None:
        """Put rows, whose ids are not there yet, into free slots. Where several want one slot, one of them gets it."""
        last = self._slots.numel() - 1
        places = mixed(self._ids[rows]) & last
        while rows.numel():
            free = self._slots[places] == _EMPTY
            self._slots[places[free]] = rows[free].int()
            left = self._slots[places] != rows
            rows, places = rows[left], (places[left] + 1) & last


def _in_order_of_coming(ids: torch.Tensor) -> torch.Tensor:
    """The distinct ids, in the order of their first occurrence."""
    distinct, which = torch.unique(ids, return_inverse=True)
    first = torch.full_like(distinct, ids.numel())
    first.scatter_reduce_(0, which, torch.arange(ids.numel()), "amin")
    return ids[first.sort().values]
