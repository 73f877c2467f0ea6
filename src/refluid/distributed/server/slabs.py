"""Rows of equal shape in slabs of tensors: a column of a table that grows without copying existing rows."""

from __future__ import annotations

from collections.abc import Iterator

import torch

FIRST_SLAB = 1 << 14  # rows; every further slab doubles what there is, so that a table of 10^7 rows has eleven


class Slabs:
    """A tensor [rows, *shape] that grows at its end; slab 0 holds the first rows, slab k as many as all before it.

    The memory of a slab is allocated page by page by the operating system, when it is written to.
    """

    def __init__(self, shape: tuple[int, ...], dtype: torch.dtype, first_slab: int = FIRST_SLAB):
        self.shape, self.dtype = tuple(shape), dtype
        self._first = first_slab
        self._slabs: list[torch.Tensor] = []
        self.count = 0

    def grow(self, count: int) -> None:
        """Hold `count` rows; the new ones are not set."""
        while self._room() < count:
            size = max(self._first, self._room())
            self._slabs.append(torch.empty((size, *self.shape), dtype=self.dtype))
        self.count = max(self.count, count)

    def gather(self, rows: torch.Tensor) -> torch.Tensor:
        """A copy of some rows."""
        out = torch.empty((rows.numel(), *self.shape), dtype=self.dtype)
        for slab, inside, places in self._split(rows):
            if places is None:
                return slab.index_select(0, inside)
            out[places] = slab.index_select(0, inside)
        return out

    def scatter(self, rows: torch.Tensor, values: torch.Tensor) -> None:
        """Set some rows, each of which must be listed once."""
        for slab, inside, places in self._split(rows):
            slab.index_copy_(0, inside, values if places is None else values[places])

    def fill(self, start: int, stop: int, value: float) -> None:
        for begin, slab in self._with_starts():
            slab[max(start - begin, 0) : max(stop - begin, 0)] = value

    def pieces(self) -> Iterator[torch.Tensor]:
        """All rows in order, as views of the slabs."""
        for begin, slab in self._with_starts():
            if begin < self.count:
                yield slab[: self.count - begin]

    def _room(self) -> int:
        return sum(slab.shape[0] for slab in self._slabs)

    def _with_starts(self) -> Iterator[tuple[int, torch.Tensor]]:
        begin = 0
        for slab in self._slabs:
            yield begin, slab
            begin += slab.shape[0]

    def _split(self, rows: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]]:
        """Every slab that has some of the rows, the rows inside it, and their positions in `rows` (None: all)."""
        if not rows.numel():
            return
        low, high = (int(bound) for bound in torch.aminmax(rows))
        for begin, slab in self._with_starts():
            end = begin + slab.shape[0]
            if begin <= low and high < end:
                yield slab, rows - begin, None
                return
            if low < end and begin <= high:
                places = ((rows >= begin) & (rows < end)).nonzero().flatten()
                yield slab, rows[places] - begin, places
