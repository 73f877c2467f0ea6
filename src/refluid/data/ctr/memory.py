"""InMemoryDataset keeps all instances, so that they can be shuffled, merged and grouped; BoxPSDataset has passes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import torch

from refluid.core.errors import ArgumentError
from refluid.core.warn import warn_once
from refluid.data.ctr.base import DatasetBase
from refluid.data.ctr.exchange import exchange
from refluid.data.ctr.packing import pack, unpack
from refluid.data.ctr.page_views import PageView, batches, grouped, rank_offsets
from refluid.data.ctr.slots import Instance, tensors
from refluid.tensor.lod_tensor import LoDTensor


class InMemoryDataset(DatasetBase):
    """Keeps all instances, so that they can be shuffled and read again."""

    feed_name = "MultiSlotInMemoryDataFeed"

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[Instance] | None = None
        self._views: list[PageView] = []
        self._joining = False
        self._parse = {"ins_id": False, "content": False, "log_key": False}
        self._merge_size: int | None = None
        self._by_search = True
        self._merge_views = False
        self.local_tables: dict[int, dict[int, np.ndarray]] = {}
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
        """Redistribute the instances of all processes of a fleet among them, by numpy's random state.

        Args:
            fleet: has worker_num(), worker_index() and worker_endpoints(); all of its processes must make this call.
                Without one, or with one of a single process, this is `local_shuffle`.
            thread_num: taken for compatibility; a process talks to all others at the same time.
        """
        if _alone(fleet):
            self._merge_lines()
            self.local_shuffle()
            return
        kept, count = self._loaded(), fleet.worker_num()
        order = np.random.permutation(len(kept))
        first = np.random.randint(count)  # or the first processes would always get the remainder
        shares = [[kept[i] for i in order[(worker - first) % count :: count]] for worker in range(count)]
        arrived = exchange(
            [pack(share, self.slots) for share in shares], fleet.worker_index(), fleet.worker_endpoints()
        )
        self._kept = [one for message in arrived for one in unpack(message, self.slots)]
        self._merge_lines()
        self.local_shuffle()

    def slots_shuffle(self, slots: Sequence[str]) -> None:
        """Shuffle the values of some slots among the instances, to measure how much a model depends on them."""
        names = [slot.name for slot in self.slots]
        kept = self._loaded()
        if self.fea_eval == 0:
            return
        for slot in slots:
            if slot not in names:
                warn_once(f"slots_shuffle: there is no slot {slot!r}; there are {', '.join(names)}")
                continue
            column, order = names.index(slot), np.random.permutation(len(kept))
            if self.fea_eval is not None and self.fea_eval < len(kept):
                order = np.random.choice(order[: self.fea_eval], len(kept))
            values = [kept[i][column] for i in order]
            for instance, value in zip(kept, values, strict=True):
                instance[column] = value

    def release_memory(self) -> None:
        self._kept = None
        self._shuffled = 0

    def get_memory_data_size(self, fleet: object = None) -> int:
        """How many instances are kept; by all processes of a fleet, if one is given."""
        return _total(len(self._kept or []), fleet)

    def get_shuffle_data_size(self, fleet: object = None) -> int:
        """How many instances were shuffled; by all processes of a fleet, if one is given."""
        return _total(self._shuffled, fleet)

    def _loaded(self) -> list[Instance]:
        self.wait_preload_done()
        if self._kept is None:
            raise ArgumentError("InMemoryDataset: call load_into_memory first")
        return self._kept

    def _instances(self, threads: int) -> Iterator[Instance]:
        return iter(self._loaded())

    def feeds(self, threads: int = 0, drop_last: bool = False) -> Iterator[dict[str, LoDTensor]]:
        if not (self._joining and self._views):
            yield from super().feeds(threads, drop_last)
            return
        for views in batches(self._views, self.pv_batch_size):
            feed = tensors([one for view in views for one in view], self.slots)
            if self.rank_offset:
                feed[self.rank_offset] = LoDTensor.of(torch.from_numpy(rank_offsets(views)))
            yield feed

    # what lines say of their instances

    def set_parse_ins_id(self, parse_ins_id: bool) -> None:
        """Whether lines begin with `1 id`."""
        self._parse["ins_id"] = parse_ins_id

    def set_parse_content(self, parse_content: bool) -> None:
        """Whether `1 content` follows."""
        self._parse["content"] = parse_content

    def set_parse_logkey(self, parse_logkey: bool) -> None:
        """Whether `1 key` follows, which holds the search, the position on the page and the rank; see page_views.py."""
        self._parse["log_key"] = parse_logkey

    def _marked(self) -> list[str]:
        return [name for name, given in self._parse.items() if given]

    def set_merge_by_lineid(self, merge_size: int = 2) -> None:
        """Let `global_shuffle` make one of instances with the same id, if they are `merge_size` (-1: any number)."""
        self._merge_size = merge_size
        self.set_parse_ins_id(True)

    def _merge_lines(self) -> None:
        if self._merge_size is None or not self._marked():
            return

        def line(one: Instance) -> bytes:
            return one.marks.ins_id

        merged, left = [], 0
        for _, group in groupby(sorted(self._loaded(), key=line), line):
            parts = list(group)
            if self._merge_size > 0 and len(parts) != self._merge_size:
                left += len(parts)
                continue
            instance = Instance(
                column[0] if slot.dense else np.concatenate(column)
                for slot, column in zip(self.slots, zip(*parts, strict=True), strict=True)
            )
            instance.marks = parts[0].marks
            merged.append(instance)
        if left:
            warn_once(f"global_shuffle: {left} instances are left out: their ids do not occur {self._merge_size} times")
        self._kept = merged

    # page views

    def set_enable_pv_merge(self, enable_pv_merge: bool) -> None:
        """Whether `preprocess_instance` groups instances into page views."""
        self._merge_views = enable_pv_merge

    def set_merge_by_sid(self, merge_by_sid: bool) -> None:
        """Whether a page view is all instances of a search, or a single one."""
        self._by_search = merge_by_sid

    def preprocess_instance(self) -> None:
        """Group the instances into page views; they are read so in the phase 1 of `set_current_phase`."""
        if self._merge_views:
            self._views, self._kept = grouped(self._loaded(), self._by_search), []

    def postprocess_instance(self) -> None:
        """Make instances of the page views again."""
        if self._merge_views:
            self._kept, self._views = [one for view in self._views for one in view], []

    def set_current_phase(self, current_phase: int) -> None:
        """1: batches of `pv_batch_size` page views, with their rank_offset; 0: batches of instances."""
        self._joining = current_phase == 1

    def get_pv_data_size(self) -> int:
        return len(self._views)

    # local tables

    def set_generate_unique_feasigns(self, generate_uni_feasigns: bool, shard_num: int) -> None:
        """Whether `generate_local_tables_unlock` collects the ids of all sparse slots."""
        self.gen_uni_feasigns, self.local_shard_num = generate_uni_feasigns, shard_num

    def generate_local_tables_unlock(
        self, table_id: int, fea_dim: int, read_thread_num: int, consume_thread_num: int, shard_num: int
    ) -> None:
        """Make a local table: a row of `fea_dim` zeros for every id that the sparse slots of the instances have."""
        sparse = [i for i, slot in enumerate(self.slots) if not slot.dense and slot.kind == "uint64"]
        ids = {int(number) for one in self._loaded() for i in sparse for number in one[i]}
        self.local_tables[table_id] = {number: np.zeros(fea_dim, np.float32) for number in sorted(ids)}

    # of Fluid's queues and messages

    def set_feed_type(self, data_feed_type: str) -> None:
        """The name of the feed in the description."""
        self.feed_name = data_feed_type

    def set_queue_num(self, queue_num: int) -> None:
        """Into how many queues Fluid splits the instances for its threads; one list serves all here."""
        self.queue_num = queue_num

    def set_fleet_send_batch_size(self, fleet_send_batch_size: int = 1024) -> None:
        """How many instances a message of Fluid's global_shuffle has; here a process sends all at once."""
        self.fleet_send_batch_size = fleet_send_batch_size

    def set_fleet_send_sleep_seconds(self, fleet_send_sleep_seconds: int = 0) -> None:
        """How long Fluid's global_shuffle waits between messages; there is one here."""
        self.fleet_send_sleep_seconds = fleet_send_sleep_seconds


class BoxPSDataset(InMemoryDataset):
    """A data set that is read in passes; the table that Fluid keeps on GPUs for a pass is the program's own here."""

    feed_name = "PaddleBoxDataFeed"

    def __init__(self) -> None:
        super().__init__()
        self.date = ""
        self._passing = False

    def set_date(self, date: str) -> None:
        """The day of the data, as "20200831"."""
        if len(date) != 8 or not date.isdigit():
            raise ArgumentError(f"set_date: expected year, month and day as eight digits, got {date!r}")
        self.date = date

    def begin_pass(self) -> None:
        self.wait_preload_done()
        self._passing = True

    def end_pass(self, need_save_delta: bool) -> None:
        """End a pass. Parameters are saved by the program, so that there is no delta to save."""
        if not self._passing:
            warn_once("end_pass: begin_pass was not called")
        self._passing = False


def _alone(fleet: Any) -> bool:
    return fleet is None or fleet.worker_num() <= 1


def _total(number: int, fleet: Any) -> int:
    if _alone(fleet):
        return number
    message = number.to_bytes(8, "little")
    arrived = exchange([message] * fleet.worker_num(), fleet.worker_index(), fleet.worker_endpoints())
    return sum(int.from_bytes(one, "little") for one in arrived)
