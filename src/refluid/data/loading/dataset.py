"""Data sets that are read by index, and the order in which they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, NotDefinedError


class Dataset:
    """Samples by index: a class of your own has `__getitem__` and `__len__`."""

    def __getitem__(self, idx: int) -> Any:
        raise NotDefinedError(f"{type(self).__name__} must have __getitem__(idx), which returns a sample")

    def __len__(self) -> int:
        raise NotDefinedError(f"{type(self).__name__} must have __len__(), the number of samples")


class BatchSampler:
    """Iterates over lists of `batch_size` indices, in order or shuffled by numpy's random state.

    Args:
        dataset: the Dataset whose indices are sampled; None if `indices` are given.
        indices: the indices themselves.
        shuffle: shuffle them at the start of every epoch.
        batch_size: the number of indices in a list.
        drop_last: leave out the last list if it is shorter.

    Example:
        >>> list(BatchSampler(indices=[3, 4, 9], batch_size=2))
        [[3, 4], [9]]
    """

    takes: type = Dataset

    def __init__(
        self,
        dataset: Dataset | None = None,
        indices: Sequence[int] | None = None,
        shuffle: bool = False,
        batch_size: int = 1,
        drop_last: bool = False,
    ):
        if (dataset is None) == (indices is None):
            raise ArgumentError("BatchSampler: give either dataset or indices")
        if dataset is not None and not isinstance(dataset, self.takes):
            kind = type(dataset).__name__
            raise ArgumentError(f"{type(self).__name__}: dataset must be a {self.takes.__name__}, got {kind}")
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ArgumentError(f"BatchSampler: batch_size must be an int of at least 1, got {batch_size!r}")
        self.dataset = dataset
        self._indices = None if indices is None else list(indices)
        self.shuffle = shuffle
        self.batch_size = batch_size
        self.drop_last = drop_last

    def _all(self) -> list[int]:
        if self._indices is not None:
            return list(self._indices)
        assert self.dataset is not None
        return list(range(len(self.dataset)))

    def __iter__(self) -> Iterator[list[int]]:
        indices = self._all()
        if self.shuffle:
            np.random.shuffle(indices)
        for start in range(0, len(indices), self.batch_size):
            chosen = indices[start : start + self.batch_size]
            if len(chosen) == self.batch_size or not self.drop_last:
                yield chosen

    def __len__(self) -> int:
        count = len(self._indices) if self._indices is not None else len(self.dataset)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
