"""Processes that train one model: each has its shard of the data; losses and metrics are those of all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
import torch

from refluid.distributed import ring as rings
from refluid.distributed.data_parallel import ParallelStrategy, prepare_context
from refluid.distributed.environment import ParallelEnv
from refluid.distributed.ring import Ring


def is_first_process() -> bool:
    """Whether this is the process that saves and shows."""
    return ParallelEnv().local_rank == 0


class Processes:
    """What the processes exchange; a single one exchanges nothing."""

    def __init__(self) -> None:
        self.strategy: ParallelStrategy = prepare_context()
        self.count = self.strategy.nranks
        self._ring: Ring | None = rings.get(0) if self.count > 1 else None
        self._epochs = False  # whether all processes go through an epoch together
        self._compared: set[tuple] = set()  # kinds of exchanges that all processes were seen to make
        self._left: int | None = None  # samples that are still to come in this epoch, if it is known
        self._taken: int | None = None  # of this batch

    @contextlib.contextmanager
    def epoch(self, samples: int | None) -> Iterator[None]:
        """All processes go through the same number of batches inside; of `samples` that are not padding, if known."""
        self._epochs, self._left = self._ring is not None, samples
        try:
            yield
        finally:
            self._epochs = False

    def begin_batch(self, rows: int) -> None:
        """Samples come twice where their number is no multiple of the processes: those at the end do not count."""
        if not self._epochs or self._left is None:
            self._taken = None
            return
        self._taken = min(int(self._summed(np.array([rows], "float64"))[0]), self._left)
        self._left -= self._taken

    def gather(self, values: np.ndarray) -> np.ndarray:
        """The rows of all processes, in the order in which a single one would have had them."""
        if not self._epochs or self._ring is None:
            return values
        rows = torch.from_numpy(np.ascontiguousarray(values))
        (parts,) = self._ring.all_gather_rows_of([rows], self._is_known("rows", rows.dtype, *rows.shape[1:]))
        return torch.cat(parts).numpy()[: self._taken]

    def _is_known(self, *kind: object) -> bool:
        """Whether ranks have compared such an exchange before: an epoch has the same ones in every batch."""
        known = kind in self._compared
        self._compared.add(kind)
        return known

    def mean(self, losses: list[np.ndarray], rows: int) -> list[np.ndarray]:
        """Losses over the samples of all processes."""
        if not self._epochs or not losses:
            return losses
        *sums, total = self._summed(
            np.array([*(float(loss.reshape(-1)[0]) * rows for loss in losses), rows], "float64")
        )
        return [np.array([value / total], loss.dtype) for value, loss in zip(sums, losses, strict=True)]

    def _summed(self, values: np.ndarray) -> list[float]:
        assert self._ring is not None
        total = torch.from_numpy(values)
        self._ring.all_reduce(total, what="losses", agreed=self._is_known("losses", len(values))).wait()
        return total.tolist()
