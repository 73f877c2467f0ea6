"""Where batches come from: data sets, loaders, and functions that make them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.mode import per_mode
from refluid.core.places import Place
from refluid.data.loading.data_loader import DataLoader
from refluid.data.loading.dataset import Dataset
from refluid.distributed.environment import ParallelEnv
from refluid.eager.variable import VarBase
from refluid.hapi.distributed import DistributedBatchSampler
from refluid.tensor.lod_tensor import LoDTensor


class Batches:
    """Epochs of batches.

    Args:
        what: how to call the data in errors: "fit: train_data".
        data: a Dataset, which is batched here; a loader or list of batches; or a function that returns an iterator over
            batches. A batch is a list of arrays: inputs, then labels; or a list of each.
    """

    def __init__(
        self, what: str, data: Any, place: Place, batch_size: int, shuffle: bool, drop_last: bool, num_workers: int
    ):
        self.what = what
        self.samples: int | None = None  # of a Dataset, which is split among the processes that train together
        if isinstance(data, Dataset):
            if not isinstance(batch_size, int) or batch_size < 1:
                raise ArgumentError(f"{what}: batch_size must be an int of at least 1, got {batch_size!r}")
            self.samples = len(data)
            places = _loaded_on(place)
            if ParallelEnv().nranks > 1:
                share = DistributedBatchSampler(data, batch_size, shuffle, drop_last)
                data = DataLoader(data, places=places, return_list=True, batch_sampler=share, num_workers=num_workers)
            else:
                data = DataLoader(
                    data, places=places, return_list=True, batch_size=batch_size, shuffle=shuffle, drop_last=drop_last,
                    num_workers=num_workers,
                )  # fmt: skip
        elif isinstance(data, Iterator) and not callable(data):  # loaders have next() as well, and start again
            raise ArgumentError(
                f"{what}: a {type(data).__name__} can be read once only; give the function that makes it, or a list"
            )
        elif not isinstance(data, Iterable) and not callable(data):
            raise DtypeError(
                f"{what} must be a Dataset, a loader, a list of batches or a function, got {type(data).__name__}"
            )
        self._data = data

    @property
    def steps(self) -> int | None:
        """How many batches an epoch has; None if unknown."""
        return len(self._data) if hasattr(self._data, "__len__") else None

    @contextlib.contextmanager
    def epoch(self) -> Iterator[Iterator[list[Any]]]:
        """The batches of one epoch; whoever reads ahead for them ends when the context does."""
        batches = iter(self._data if isinstance(self._data, Iterable) else self._data())
        try:
            yield map(self._fields, batches)
        finally:
            if hasattr(batches, "close"):
                batches.close()

    def _fields(self, batch: object) -> list[Any]:
        if isinstance(batch, dict) or (isinstance(batch, list) and batch and isinstance(batch[0], dict)):
            raise DtypeError(f"{self.what}: a batch must be a list of arrays, got a dict; make the loader return lists")
        if not isinstance(batch, list | tuple):
            return [batch]
        fields = [field for one in batch for field in _flat(one)]
        if not fields:
            raise ArgumentError(f"{self.what}: a batch must have at least one field, got an empty one")
        return fields


def _flat(field: object) -> list[Any]:
    """Fields out of lists: of inputs, of labels, of what a loader of the static mode has for a place.

    A list of numbers is a field.
    """
    if isinstance(field, list | tuple) and (not field or isinstance(field[0], np.ndarray | VarBase | LoDTensor)):
        return list(field)
    return [field]


def rows(value: Any) -> int:
    """The number of samples in a batch, by one of its fields."""
    if isinstance(value, LoDTensor):
        lod = value.lod()
        return len(lod[0]) - 1 if lod else value.shape()[0]
    return value.shape[0] if isinstance(value, VarBase) else len(value)


@per_mode
def _loaded_on(place: Place) -> Place | None:
    """Where a loader puts batches; in the imperative mode it knows by itself."""
    return place


@_loaded_on.imperative
def _known(place: Place) -> Place | None:
    return None
