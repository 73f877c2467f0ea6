"""DatasetFactory and the data sets over files: QueueDataset streams them, InMemoryDataset keeps and shuffles them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.core.warn import warn_once
from refluid.data.ctr.exchange import exchange
from refluid.data.ctr.feed_desc import describe
from refluid.data.ctr.files import instances
from refluid.data.ctr.packing import pack, unpack
from refluid.data.ctr.slots import Instance, Slot, tensors
from refluid.tensor.lod_tensor import LoDTensor


class DatasetFactory:
    """Makes data sets by the names of their classes."""

    def create_dataset(self, datafeed_class: str = "QueueDataset") -> DatasetBase:
        """A "QueueDataset" or an "InMemoryDataset"."""
        kinds: dict[str, type[DatasetBase]] = {"QueueDataset": QueueDataset, "InMemoryDataset": InMemoryDataset}
        if datafeed_class not in kinds:
            raise ArgumentError(f"create_dataset: expected {' or '.join(kinds)}, got {datafeed_class!r}")
        return kinds[datafeed_class]()


class DatasetBase:
    """Text files whose lines hold slots; see slots.py. Set it up, then give it to Executor.train_from_dataset."""

    feed_name = "MultiSlotDataFeed"

    def __init__(self) -> None:
        self.batch_size = 1
        self.thread_num = 1
        self.filelist: list[str] = []
        self.pipe_command = "cat"
        self.slots: list[Slot] = []

    def set_batch_size(self, batch_size: int) -> None:
        if batch_size < 1:
            raise ArgumentError(f"set_batch_size: must be at least 1, got {batch_size}")
        self.batch_size = batch_size

    def set_thread(self, thread_num: int) -> None:
        """How many files are read at the same time."""
        self.thread_num = thread_num

    def set_filelist(self, filelist: Sequence[str]) -> None:
        self.filelist = list(filelist)

    def set_pipe_command(self, pipe_command: str) -> None:
        """A shell command that every file goes through; it writes the lines that are read."""
        self.pipe_command = pipe_command

    def set_use_var(self, var_list: Sequence[Any]) -> None:
        """The variables to fill, in the order of the slots of a line; one without LoD is dense."""
        self.slots = [Slot.of(var) for var in var_list]

    def desc(self) -> str:
        """The description of the files as text."""
        return describe(self.feed_name, self.batch_size, self.slots, self.pipe_command)

    def feeds(self, threads: int = 0, drop_last: bool = False) -> Iterator[dict[str, LoDTensor]]:
        """Batches, ready to be fed; the last may be shorter."""
        source = self._instances(threads or self.thread_num)
        while batch := list(islice(source, self.batch_size)):
            if len(batch) == self.batch_size or not drop_last:
                yield tensors(batch, self.slots)

    def _instances(self, threads: int) -> Iterator[Instance]:
        return self._read(threads)

    def _read(self, threads: int) -> Iterator[Instance]:
        if not self.slots:
            raise ArgumentError(f"{type(self).__name__}: call set_use_var first")
        if not self.filelist:
            warn_once(f"{type(self).__name__}: there are no files to read; call set_filelist first")
        return instances(self.filelist, self.slots, self.pipe_command, threads)


class QueueDataset(DatasetBase):
    """Reads the files anew in every epoch, in the order of the list."""

    def local_shuffle(self) -> None:
        raise NotImplementedError("QueueDataset does not keep its instances; use InMemoryDataset to shuffle them")

    def global_shuffle(self, fleet: Any = None) -> None:
        raise NotImplementedError("QueueDataset does not keep its instances; use InMemoryDataset to shuffle them")


class InMemoryDataset(DatasetBase):
    """Keeps all instances, so that they can be shuffled and read again."""

    feed_name = "MultiSlotInMemoryDataFeed"

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[Instance] | None = None
        self._loading: threading.Thread | None = None
        self._problem: BaseException | None = None
        self._shuffled = 0

    def load_into_memory(self) -> None:
        self._kept = list(self._read(self.thread_num))

    def preload_into_memory(self, thread_num: int | None = None) -> None:
        """Load in the background; `wait_preload_done` waits for it."""
        if thread_num is not None:
            self.thread_num = thread_num

        def load() -> None:
            try:
                self.load_into_memory()
            except BaseException as problem:
                self._problem = problem

        self._loading = threading.Thread(target=load, daemon=True, name="refluid-preload")
        self._loading.start()

    def wait_preload_done(self) -> None:
        if self._loading is not None:
            self._loading.join()
            self._loading = None
        if self._problem is not None:
            problem, self._problem = self._problem, None
            raise problem

    def local_shuffle(self) -> None:
        """Shuffle what this process keeps, by numpy's random state."""
        np.random.shuffle(self._loaded())
        self._shuffled = len(self._loaded())

    def global_shuffle(self, fleet: Any = None, thread_num: int = 12) -> None:
        """Deal what all processes of a fleet keep out among them anew, by numpy's random state.

        Args:
            fleet: has worker_num(), worker_index() and worker_endpoints(); all of its processes must make this call.
                Without one, or with one of a single process, this is `local_shuffle`.
            thread_num: taken for compatibility; a process talks to all others at the same time.
        """
        if _alone(fleet):
            self.local_shuffle()
            return
        kept, count = self._loaded(), fleet.worker_num()
        order = np.random.permutation(len(kept))
        first = np.random.randint(count)  # or the first processes would always get the odd ones
        shares = [[kept[i] for i in order[(worker - first) % count :: count]] for worker in range(count)]
        arrived = exchange(
            [pack(share, self.slots) for share in shares], fleet.worker_index(), fleet.worker_endpoints()
        )
        self._kept = [one for message in arrived for one in unpack(message, self.slots)]
        self.local_shuffle()

    def slots_shuffle(self, slots: Sequence[str]) -> None:
        """Shuffle the values of some slots among the instances, to see how much a model owes to them."""
        names = [slot.name for slot in self.slots]
        kept = self._loaded()
        for slot in slots:
            if slot not in names:
                raise ArgumentError(f"slots_shuffle: there is no slot {slot!r}; there are {', '.join(names)}")
            column, order = names.index(slot), np.random.permutation(len(kept))
            values = [kept[i][column] for i in order]
            for instance, value in zip(kept, values, strict=True):
                instance[column] = value

    def release_memory(self) -> None:
        self._kept = None
        self._shuffled = 0

    def get_memory_data_size(self, fleet: Any = None) -> int:
        """How many instances are kept; by all processes of a fleet, if one is given."""
        return _total(len(self._kept or []), fleet)

    def get_shuffle_data_size(self, fleet: Any = None) -> int:
        """How many instances were shuffled; by all processes of a fleet, if one is given."""
        return _total(self._shuffled, fleet)

    def _loaded(self) -> list[Instance]:
        self.wait_preload_done()
        if self._kept is None:
            raise ArgumentError("InMemoryDataset: call load_into_memory first")
        return self._kept

    def _instances(self, threads: int) -> Iterator[Instance]:
        return iter(self._loaded())


def _alone(fleet: Any) -> bool:
    return fleet is None or fleet.worker_num() <= 1


def _total(number: int, fleet: Any) -> int:
    if _alone(fleet):
        return number
    message = number.to_bytes(8, "little")
    arrived = exchange([message] * fleet.worker_num(), fleet.worker_index(), fleet.worker_endpoints())
    return sum(int.from_bytes(one, "little") for one in arrived)
