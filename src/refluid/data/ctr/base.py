"""DatasetBase and the data sets that stream their files; memory.py has the one that keeps its instances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from refluid.core.errors import ArgumentError, NotPossibleError
from refluid.core.warn import warn_once
from refluid.data.ctr.feed_desc import describe
from refluid.data.ctr.files import Remote, instances
from refluid.data.ctr.slots import Instance, Slot, tensors
from refluid.tensor.lod_tensor import LoDTensor


class DatasetBase:
    """Text files whose lines hold slots; see slots.py. Set it up, then give it to Executor.train_from_dataset."""

    feed_name = "MultiSlotDataFeed"

    def __init__(self) -> None:
        self.batch_size = 1
        self.thread_num = 1
        self.filelist: list[str] = []
        self.pipe_command = "cat"
        self.slots: list[Slot] = []
        self.remote = Remote()
        self.rank_offset = ""
        self.pv_batch_size = 0
        self.fea_eval: int | None = None  # from how many instances slots_shuffle takes values; None: from all

    def set_fea_eval(self, record_candidate_size: int, fea_eval: bool = True) -> None:
        """Let `slots_shuffle` take values from so many instances; without `fea_eval` it does nothing."""
        self.fea_eval = record_candidate_size if fea_eval else 0

    def set_pv_batch_size(self, pv_batch_size: int) -> None:
        """How many page views a batch has; see InMemoryDataset.preprocess_instance."""
        self.pv_batch_size = pv_batch_size

    def set_rank_offset(self, rank_offset: str) -> None:
        """The name of the variable that holds the ranks and rows of the other advertisements of a page view."""
        self.rank_offset = rank_offset

    def set_hdfs_config(self, fs_name: str, fs_ugi: str) -> None:
        """The Hadoop file system, and "user,password", for files whose paths begin with hdfs: or afs:."""
        self.remote = self.remote._replace(name=fs_name, user=fs_ugi)

    def set_download_cmd(self, download_cmd: str) -> None:
        """A command that reads such files in place of hadoop's."""
        self.remote = self.remote._replace(download=download_cmd)

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
        more = f'rank_offset: "{self.rank_offset}"\n' if self.rank_offset else ""
        more += f"pv_batch_size: {self.pv_batch_size}\n" if self.pv_batch_size else ""
        return describe(self.feed_name, self.batch_size, self.slots, self.pipe_command, False, more)

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
        marked = self._marked()
        return instances(self.filelist, self.slots, self.pipe_command, threads, marked, self.remote)

    def _marked(self) -> list[str]:
        """The marks of an instance that lines begin with."""
        return []


class QueueDataset(DatasetBase):
    """Reads the files again in every epoch, in the order of the list."""

    def local_shuffle(self) -> None:
        raise NotPossibleError("QueueDataset does not keep its instances; use InMemoryDataset to shuffle them")

    def slots_shuffle(self, slots: Sequence[str]) -> None:
        raise NotPossibleError("QueueDataset does not keep its instances; use InMemoryDataset to shuffle them")

    def global_shuffle(self, fleet: object = None) -> None:
        raise NotPossibleError("QueueDataset does not keep its instances; use InMemoryDataset to shuffle them")


class FileInstantDataset(QueueDataset):
    """Reads the files again in every epoch, in the order of the list."""

    feed_name = "MultiSlotFileInstantDataFeed"
