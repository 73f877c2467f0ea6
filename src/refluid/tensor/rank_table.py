"""RankTable: the sequences of a batch sorted by length, longest first; each step reads those that have not ended."""

from __future__ import annotations

from functools import cached_property

import torch

from refluid.tensor.lod import LoD


class RankTable:
    """Made from one level of a LoD; an immutable value.

    Attributes:
        lengths: of the sequences, in the order of the batch.
        order: the numbers of the sequences, longest first; equally long ones in the order of the batch.
    """

    def __init__(self, lod: LoD, level: int = 0):
        self.level = level
        self.outer = lod.levels[:level]
        self.lengths: list[int] = lod.lengths()[level]
        self.order: list[int] = sorted(range(len(self.lengths)), key=lambda i: -self.lengths[i])

    @property
    def steps(self) -> int:
        """How many steps the longest sequence has."""
        return self.lengths[self.order[0]] if self.order else 0

    def active_at(self, step: int) -> int:
        """How many sequences have this step."""
        return sum(length > step for length in self.lengths)

    @cached_property
    def by_step(self) -> list[list[int]]:
        """For every step the elements of the level that it sees, longest sequence first."""
        starts = LoD.from_lengths([self.lengths]).levels[0]
        return [[starts[i] + step for i in self.order[: self.active_at(step)]] for step in range(self.steps)]


def select_sequences(lod: LoD | None, sequences: list[int]) -> tuple[list[int], LoD | None]:
    """The rows, and their LoD, of some sequences of a LoD's first level in the given order (of rows, without a LoD)."""
    if lod is None:
        return sequences, None
    lengths = []
    for offsets in lod.levels:
        lengths.append([offsets[i + 1] - offsets[i] for i in sequences])
        sequences = [row for i in sequences for row in range(offsets[i], offsets[i + 1])]
    return sequences, LoD.from_lengths(lengths)


def select_rows(x: torch.Tensor, rows: list[int]) -> torch.Tensor:
    return x.index_select(0, torch.tensor(rows, dtype=torch.int64, device=x.device))

    def items(self) -> list[tuple[int, int]]:
        """(number, length) of the sequences, longest first."""
        return [(number, self.lengths[number]) for number in self.order]
