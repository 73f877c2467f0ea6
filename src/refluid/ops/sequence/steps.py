"""Sequences in step-major order: the first steps of all, then the second steps, and so on.

The longest sequences come first, so that those that have ended would be the last rows of a step.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import torch

from refluid.tensor.lod import LoD

Tensor = torch.Tensor


class Steps:
    """How the rows of a LoDTensor regroup into steps.

    `sizes[t]` is how many sequences have a step t, `starts[t]` the rows before it; `rows` are the row numbers of the
    tensor in the new order, `back` those of the new order in the tensor's; `order` are the sequences, longest first.
    `before` is for every row with a previous step the row number of that step, in the new order.
    """

    def __init__(self, lod: LoD, reverse: bool, device: torch.device):
        lengths = lod.lengths()[-1]
        order = sorted(range(len(lengths)), key=lambda i: -lengths[i])  # stable, as Fluid's
        offsets = lod.levels[-1]
        self.sizes = [sum(length > t for length in lengths) for t in range(max(lengths, default=0))]
        self.starts = list(accumulate(self.sizes, initial=0))[:-1]
        rows = [
            offsets[i + 1] - 1 - t if reverse else offsets[i] + t
            for t, size in enumerate(self.sizes)
            for i in order[:size]
        ]
        before = [self.starts[t - 1] + k for t in range(1, len(self.sizes)) for k in range(self.sizes[t])]
        self.order = torch.tensor(order, dtype=torch.int64, device=device)
        self.rows = torch.tensor(rows, dtype=torch.int64, device=device)
        self.back = torch.empty_like(self.rows)
        self.back[self.rows] = torch.arange(len(rows), device=device)
        self.before = torch.tensor(before, dtype=torch.int64, device=device)

    @cached_property
    def for_kernels(self) -> tuple[Any, ...]:
        """Rows, sizes, starts and order as tensors, and the number of steps: what C++ kernels take (recurrence.h)."""
        sizes, starts = (torch.tensor(numbers, dtype=torch.int64) for numbers in (self.sizes, self.starts))
        return self.rows, sizes, starts, self.order, len(self.sizes)

    def split(self, t: Tensor) -> list[Tensor]:
        """A tensor in the order of steps as a list, one for each."""
        return list(t.split(self.sizes)) if self.sizes else []

    def ongoing(self, t: Tensor) -> list[Tensor]:
        """As `split`, of every step the rows of the sequences that have a next one."""
        sizes = [n for size, later in pairwise([*self.sizes, 0]) for n in (later, size - later)]
        return list(t.split(sizes)[::2]) if sizes else []

    def gather(self, t: Tensor) -> Tensor:
        """The rows of a LoDTensor in the order of steps."""
        return t.index_select(0, self.rows)

    def scatter(self, t: Tensor) -> Tensor:
        """Back to the order of the LoDTensor."""
        return t.index_select(0, self.back)

    def first(self, t: Tensor | None, like: Tensor, width: int) -> Tensor:
        """The state before the first step: `t` [sequences, width] with the longest first, or zeros."""
        if t is None:
            return like.new_zeros(len(self.order), width)
        return t.index_select(0, self.order)

    def previous(self, t: Tensor, first: Tensor) -> Tensor:
        """For every row the row of `t` one step before; `first` for those of the first step."""
        return torch.cat([first[: self.sizes[0]], t.index_select(0, self.before)]) if self.sizes else t

    def unordered(self, t: Tensor) -> Tensor:
        """Rows of sequences, longest first, in their own order again; zeros for sequences without a step."""
        return t.new_zeros(len(self.order), t.shape[1]).index_copy(0, self.order[: len(t)], t)


def steps_of(lod: LoD, reverse: bool, device: torch.device) -> Steps:
    """The steps of a LoD, made once."""
    return lod.cached(("steps", reverse, device), lambda: Steps(lod, reverse, device))
