"""DataLoader: batches of a Dataset, made here or by worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from refluid.core import mode
from refluid.core.errors import ArgumentError
from refluid.core.places import Place
from refluid.data.ctr.base import DatasetBase
from refluid.data.loading import sources
from refluid.data.loading.dataset import BatchSampler, Dataset
from refluid.data.loading.generator import Epoch, GeneratorLoader, Item, as_items, finisher
from refluid.data.loading.workers import Batches
from refluid.data.readers.threads import buffered
from refluid.ir import program as programs
from refluid.ir.variable import Variable
from refluid.tensor.lod_tensor import LoDTensor

_AHEAD = 2  # batches that wait when this process makes them


class DataLoader:
    """Iterates over the batches of a data set.

    Args:
        dataset: a `Dataset`.
        feed_list: the variables to load, in the order of the fields of a sample; for the static mode.
        places: the place of the tensors, or a list; with several, every item has a batch for each.
        return_list: items are lists of tensors instead of dictionaries; always so in the imperative mode.
        batch_sampler: gives the indices of every batch; else batch_size, shuffle and drop_last say so.
        batch_size: the number of samples in a batch.
        shuffle: shuffle the samples at the start of every epoch.
        drop_last: leave out the last batch if it is shorter.
        collate_fn: makes a list of arrays of a list of samples; by default the fields are stacked.
        num_workers: the number of processes that make batches; 0 for this one.
        use_buffer_reader: read a few batches ahead.
        use_shared_memory: pass large batches of workers in shared memory.
        timeout: the seconds to wait for a batch of a worker; 0 for ever.
        worker_init_fn: called with the number of the worker when it starts.

    Example:
        >>> class Squares(fluid.io.Dataset):
        ...     def __len__(self):
        ...         return 4
        ...
        ...     def __getitem__(self, i):
        ...         return np.float32([i]), np.float32([i * i])
        >>> with fluid.dygraph.guard():
        ...     for x, y in fluid.io.DataLoader(Squares(), batch_size=2):
        ...         print(y.numpy().ravel().tolist())
        [0.0, 1.0]
        [4.0, 9.0]
    """

    def __init__(
        self,
        dataset: Dataset,
        feed_list: Sequence[Variable] | None = None,
        places: Place | list[Place] | None = None,
        return_list: bool = False,
        batch_sampler: BatchSampler | None = None,
        batch_size: int = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int = 0,
        use_buffer_reader: bool = True,
        use_shared_memory: bool = True,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
    ):
        if not isinstance(dataset, Dataset):
            raise ArgumentError(f"DataLoader: dataset must be a Dataset, got {type(dataset).__name__}")
        if num_workers < 0 or timeout < 0:
            raise ArgumentError(f"DataLoader: num_workers={num_workers} and timeout={timeout} must not be negative")
        if batch_sampler is not None and (batch_size != 1 or shuffle or drop_last):
            raise ArgumentError(
                "DataLoader: batch_size, shuffle and drop_last cannot be combined with batch_sampler, which sets them"
            )
        self._imperative = mode.current().imperative
        if not self._imperative:
            if places is None:
                raise ArgumentError("DataLoader: places must be given in the static mode")
            if feed_list is None and not return_list:
                raise ArgumentError("DataLoader: feed_list must be given when return_list=False")
        self.dataset = dataset
        self.batch_sampler = batch_sampler or BatchSampler(dataset, None, shuffle, batch_size, drop_last)
        self.num_workers = num_workers
        self.places = [] if places is None else list(places) if isinstance(places, list | tuple) else [places]
        self._names = None if feed_list is None or self._imperative else [var.name for var in feed_list]
        self._return_list = return_list
        self._collate = collate_fn or stack_fields
        self._ahead = _AHEAD if use_buffer_reader else 0
        self._shared = use_shared_memory
        self._timeout = timeout
        self._init = worker_init_fn

    def __len__(self) -> int:
        """How many items an epoch has."""
        return len(self.batch_sampler) // max(len(self.places), 1)

    def __call__(self) -> Epoch:
        return iter(self)

    def __iter__(self) -> Epoch:
        make, tasks = _maker(self.dataset, self._collate, self._names), self.batch_sampler
        places = self.places
        finish = finisher(self._imperative, None if self._return_list else self._names)
        if self.num_workers:
            batches = Batches(make, tasks, self.num_workers, self._shared, self._timeout, self._init, "DataLoader")
            return Epoch(as_items(batches, places, drop_last=True), batches, finish)

        def source() -> Iterator[Item]:
            return as_items((make(indices) for indices in tasks), places, drop_last=True)

        if self._ahead:
            ahead = buffered(source, self._ahead)()
            return Epoch(ahead, ahead, finish)
        plain = source()
        return Epoch(plain, plain, finish)

    @staticmethod
    def from_generator(
        feed_list: Sequence[Variable] | None = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
        use_multiprocess: bool = False,
        drop_last: bool = True,
    ) -> GeneratorLoader:
        """A loader of what a Python function generates, read ahead in a thread or a process.

        Args:
            feed_list: the variables to load, in the order of the fields; None in the imperative mode.
            capacity: the number of batches that may wait.
            use_double_buffer: copy batches to their device before they are asked for.
            iterable: iterate over feeds; if False the program asks for its data between `start` and `reset`.
            return_list: items are lists of tensors instead of dictionaries; always so in the imperative mode.
            use_multiprocess: read in a process instead of a thread, for readers that compute a lot in Python.
            drop_last: with several places, leave out the last batches if they are fewer than the places.

        Returns:
            A GeneratorLoader; set_sample_generator, set_sample_list_generator or set_batch_generator gives it data.

        Example:
            >>> x = fluid.data("x", [None, 2])
            >>> total = fluid.layers.reduce_sum(x)
            >>> loader = fluid.io.DataLoader.from_generator(feed_list=[x], capacity=4)
            >>> def batches():
            ...     for i in range(3):
            ...         yield [np.full((1, 2), i, "float32")]
            >>> _ = loader.set_batch_generator(batches, places=fluid.CPUPlace())
            >>> exe = fluid.Executor(fluid.CPUPlace())
            >>> [exe.run(feed=feed, fetch_list=[total])[0].item() for feed in loader()]
            [0.0, 2.0, 4.0]
        """
        loader = GeneratorLoader(
            feed_list, capacity, use_double_buffer, iterable, return_list, use_multiprocess, drop_last
        )
        return loader.serve(programs.default_main_program(), feed_list)

    @staticmethod
    def from_dataset(dataset: DatasetBase, places: Place | list[Place], drop_last: bool = True) -> DatasetLoader:
        """A loader of a data set over files.

        Args:
            dataset: a data set made by DatasetFactory.
            places: the place of the tensors, or a list with one batch for each.
            drop_last: leave out a last batch that is short, and last batches that are fewer than the places.

        Returns:
            An iterable of lists of feeds, one feed per place.
        """
        return DatasetLoader(dataset, list(places) if isinstance(places, list | tuple) else [places], drop_last)


class DatasetLoader:
    """Iterates over the batches of a data set over files: a list of feeds, one per place.

    drop_last: leave out a last batch that is short, and last batches that are fewer than the places.
    """

    def __init__(self, dataset: DatasetBase, places: list[Place], drop_last: bool):
        if not isinstance(dataset, DatasetBase):
            raise ArgumentError(f"from_dataset: dataset must be made by DatasetFactory, got {type(dataset).__name__}")
        self.dataset = dataset
        self.places = places
        self._drop_last = drop_last

    def __call__(self) -> Epoch:
        return iter(self)

    def __iter__(self) -> Epoch:
        dataset, drop_last, count = self.dataset, self._drop_last, len(self.places)

        def groups() -> Iterator[list[dict[str, LoDTensor]]]:
            feeds = dataset.feeds(drop_last=drop_last)
            while group := list(islice(feeds, count)):
                if len(group) == count or not drop_last:
                    yield group

        ahead = buffered(groups, _AHEAD)()
        return Epoch(ahead, ahead, lambda group: group)


def stack_fields(batch: list[Any]) -> list[np.ndarray]:
    """Stack the fields of a batch of samples, each into one array.

    Args:
        batch: a list of samples; a sample is a field, or a list or tuple of fields.

    Returns:
        A list of numpy arrays of shape [len(batch), ...], one per field.
    """
    if not isinstance(batch[0], list | tuple):
        return [sources.stacked(batch, "DataLoader: the samples")]
    names = [f"field {i}" for i in range(len(batch[0]))]
    columns = sources.columns_of(batch, names, "DataLoader")
    return [sources.stacked(column, f"DataLoader: {name}") for name, column in zip(names, columns, strict=True)]


def _maker(
    dataset: Dataset, collate: Callable[[list[Any]], Any], names: list[str] | None
) -> Callable[[list[int]], Any]:
    """From indices to a batch of values."""

    def make(indices: list[int]) -> list[sources.Value]:
        collated = collate([dataset[i] for i in indices])
        return sources.values(collated, names, f"of indices {indices[0]} to {indices[-1]}", "DataLoader", copy=False)

    return make
