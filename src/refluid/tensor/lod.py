"""LoD (level of detail): how the rows of a tensor group into sequences of different lengths, and those into others.

A level is a tuple of offsets that starts at 0: `(0, 2, 6)` are two sequences of 2 and 4 elements. The elements of the
last level are rows of the tensor; those of any other level are the sequences of the next level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from operator import sub
from typing import Any, TypeVar

import numpy as np
import torch

from refluid.core.callsite import in_call
from refluid.core.errors import ShapeError
from refluid.core.places import CPU

_T = TypeVar("_T")


class LoD:
    """An immutable value. The constructor trusts its offsets (a LoD is made for every batch); `check` does not."""

    __slots__ = ("_made", "levels")

    def __init__(self, levels: Iterable[Sequence[int]]):
        self.levels: tuple[tuple[int, ...], ...] = tuple(map(tuple, levels))
        self._made: dict[tuple, Any] = {}

    @classmethod
    def from_lengths(cls, lengths: Iterable[Iterable[int]]) -> LoD:
        return cls([tuple(accumulate(level, initial=0)) for level in lengths])

    def __len__(self) -> int:
        return len(self.levels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LoD) and self.levels == other.levels

    def __hash__(self) -> int:
        return hash(self.levels)

    def __repr__(self) -> str:
        return f"LoD({self.offsets()})"

    def __reduce__(self) -> tuple:
        return LoD, (self.levels,)  # without what is cached

    def offsets(self) -> list[list[int]]:
        return [list(level) for level in self.levels]

    def lengths(self) -> list[list[int]]:
        return [list(map(sub, level[1:], level)) for level in self.levels]

    @property
    def rows(self) -> int:
        """How many rows a tensor with this LoD has."""
        return self.levels[-1][-1]

    def count(self, level: int = -1) -> int:
        """The number of sequences of a level."""
        return len(self.levels[level]) - 1

    def spans(self, level: int = -1) -> Iterator[tuple[int, int]]:
        """(start, end) of every sequence of a level."""
        return pairwise(self.levels[level])

    def outer(self) -> LoD | None:
        """The LoD of a tensor that has one row per sequence of this one's last level."""
        return LoD(self.levels[:-1]) if len(self.levels) > 1 else None

    def down_to_rows(self, level: int) -> tuple[int, ...]:
        """The offsets of a level, counted in rows of the tensor."""
        offsets = self.levels[level]
        for finer in self.levels[level % len(self.levels) + 1 :]:
            offsets = tuple(finer[i] for i in offsets)
        return offsets

    def offsets_tensor(self, level: int = -1, device: torch.device = CPU) -> torch.Tensor:
        """The offsets of a level, int64 [count + 1]."""
        return self.cached(("offsets", self._number(level), device), lambda: _int64(self.levels[level]).to(device))

    def lengths_tensor(self, level: int = -1, device: torch.device = CPU) -> torch.Tensor:
        """The lengths of a level's sequences, int64 [count]."""
        return self.cached(
            ("lengths", self._number(level), device), lambda: torch.diff(self.offsets_tensor(level)).to(device)
        )

    def segment_ids(self, level: int = -1, device: torch.device = CPU) -> torch.Tensor:
        """For every element of a level the number of the sequence it is in, int64 [last offset]."""

        def make() -> torch.Tensor:
            rows = torch.repeat_interleave(self.lengths_tensor(level), output_size=self.levels[level][-1])
            return rows.to(device)

        return self.cached(("segments", self._number(level), device), make)

    def cached(self, key: tuple, make: Callable[[], _T]) -> _T:
        """What depends on this LoD alone, made once: every operator of a batch asks for the same."""
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = make()
        return found

    def _number(self, level: int) -> int:
        return level % len(self.levels)


def _int64(numbers: tuple[int, ...]) -> torch.Tensor:
    return torch.from_numpy(np.array(numbers, dtype=np.int64))  # three times as fast as torch.tensor


def fault(lod: LoD, rows: int | None) -> str | None:
    """What is wrong with a LoD for a tensor of so many rows (None: any number), in words; None if nothing is."""
    for i, level in enumerate(lod.levels):
        if not level:
            return f"level {i} is empty; it must at least hold the offset 0"
        if level[0] != 0:
            return f"level {i} must start at offset 0, got {level[0]}"
        if list(level) != sorted(level):  # sorting what is sorted is the fastest way to compare neighbours
            k = next(j for j in range(1, len(level)) if level[j] < level[j - 1])
            return f"the offsets of level {i} must not descend, got {level[k]} after {level[k - 1]}"
        if i + 1 < len(lod.levels):
            inner = lod.count(i + 1)
            if level[-1] != inner:
                return f"level {i} ends at {level[-1]}, but level {i + 1} has {inner} sequences"
        elif rows is not None and level[-1] != rows:
            return f"the last level ends at {level[-1]}, but the tensor has {rows} rows"
    return None


def check(lod: LoD, rows: int | None) -> None:
    """Raise ShapeError unless the LoD is well formed and fits a tensor of so many rows."""
    wrong = fault(lod, rows)
    if wrong is not None:
        shown = repr(lod.offsets())
        raise ShapeError(in_call(f"LoD {shown if len(shown) <= 120 else shown[:120] + '...'}: {wrong}"))


def is_valid(lod: LoD, rows: int | None) -> bool:
    return fault(lod, rows) is None
