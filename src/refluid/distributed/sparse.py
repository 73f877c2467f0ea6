"""Sparse gradients between processes: every rank's rows, concatenated."""

from __future__ import annotations

import torch

from refluid.distributed.ring import Ring
from refluid.tensor.selected_rows import SelectedRows


def sum_rows(ring: Ring, value: SelectedRows, agreed: bool = False) -> SelectedRows:
    """The sum over all ranks: the rows of each, rank after rank; a row that several have is listed several times."""
    index, rows = ring.all_gather_rows_of([value.index, value.value], agreed)
    return SelectedRows.of(torch.cat(index), torch.cat(rows), value.n_rows)
