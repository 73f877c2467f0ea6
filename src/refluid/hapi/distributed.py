"""DistributedBatchSampler: every process of a training has its own shard of the samples."""

from __future__ import annotations

from collections.abc import Iterator, Sized

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.data.loading.dataset import BatchSampler, Dataset
from refluid.distributed.environment import ParallelEnv


class DistributedBatchSampler(BatchSampler):
    """Batches of the shard of this process (PADDLE_TRAINER_ID) among PADDLE_TRAINERS_NUM.

    All shards have the same size, so that no process waits for another: the first samples come twice where the number
    of samples is no multiple of the number of processes.

    Args:
        shuffle: in an order that depends on the epoch alone, so that all processes have the same.
        drop_last: leave out a last batch that is short.
    """

    takes = Sized  # anything that has a length and is read by index

    def __init__(self, dataset: Dataset, batch_size: int, shuffle: bool = False, drop_last: bool = False):
        super().__init__(dataset, None, shuffle, batch_size, drop_last)
        env = ParallelEnv()
        self.nranks, self.local_rank = env.nranks, env.local_rank
        if not 0 <= self.local_rank < self.nranks:
            raise ArgumentError(
                f"DistributedBatchSampler: PADDLE_TRAINER_ID must be below PADDLE_TRAINERS_NUM={self.nranks}, "
                f"got {self.local_rank}"
            )
        self.epoch = 0
        self.num_samples = -(-len(dataset) // self.nranks)
        self.total_size = self.num_samples * self.nranks

    def __iter__(self) -> Iterator[list[int]]:
        indices = self._all()
        indices += indices[: self.total_size - len(indices)]
        if self.shuffle:
            np.random.RandomState(self.epoch).shuffle(indices)
            self.epoch += 1
        # Batch by batch in turn, so that one process reads as if it were alone; the rest is split evenly.
        whole = self.total_size - self.total_size % (self.batch_size * self.nranks)
        share: list[int] = []
        for start in range(self.local_rank * self.batch_size, whole, self.batch_size * self.nranks):
            share += indices[start : start + self.batch_size]
        rest = (self.total_size - whole) // self.nranks
        share += indices[whole + self.local_rank * rest : whole + (self.local_rank + 1) * rest]
        for start in range(0, len(share), self.batch_size):
            chosen = share[start : start + self.batch_size]
            if len(chosen) == self.batch_size or not self.drop_last:
                yield chosen

    def __len__(self) -> int:
        batches, short = divmod(self.num_samples, self.batch_size)
        return batches + (1 if short and not self.drop_last else 0)

    def set_epoch(self, epoch: int) -> None:
        """Shuffle as in this epoch next, for a training that is resumed."""
        self.epoch = epoch
