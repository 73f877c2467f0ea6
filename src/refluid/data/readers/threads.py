"""Decorators that read ahead in threads: buffered, xmap_readers.

Whatever is raised in a thread is raised again where the samples are consumed. When the consumer stops early, the
threads are told to end and are joined, but no longer than JOIN_SECONDS: one may be stuck inside a reader
that the program wrote.
"""

import atexit
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, NamedTuple

from refluid.core.errors import ArgumentError
from refluid.core.per_thread import inherit
from refluid.data.readers.calling import check_count, check_reader, samples_of
from refluid.data.readers.channel import CLOSED, Channel
from refluid.data.readers.combine import Reader

JOIN_SECONDS = 2.0


class Raised(NamedTuple):
    """An exception on its way from a thread to the consumer."""

    error: BaseException


END = object()


def buffered(reader: Reader, size: int) -> Callable[[], "Consumer"]:
    """Read up to `size` samples ahead in a thread.

    Args:
        reader: a function that returns an iterable of samples.
        size: the number of samples that may wait.

    Returns:
        A reader: a function that returns an iterable of samples.

    Example:
        >>> list(buffered(lambda: range(3), 2)())
        [0, 1, 2]
    """
    check_count("buffered: size", size)

    def read() -> Consumer:
        check_reader(reader, "buffered")
        ready = Channel(size)
        return Consumer(ready, [ready], [(_fill, (reader, ready))], ends=1)

    return read


def _fill(reader: Reader, ready: Channel) -> None:
    try:
        for sample in samples_of(reader, "buffered"):
            if not ready.put(sample):
                return
        ready.put(END)
    except BaseException as error:
        ready.put(Raised(error))


def xmap_readers(
    mapper: Callable[[Any], Any], reader: Reader, process_num: int, buffer_size: int, order: bool = False
) -> Reader:
    """A reader of mapper(sample), mapped by `process_num` threads at a time.

    Args:
        mapper: a function of one sample.
        reader: the reader to map.
        process_num: the number of threads.
        buffer_size: the number of samples that may wait before, and after the mapping.
        order: keep the order of the reader; else a sample comes out when it is done.

    Returns:
        A reader: a function that returns an iterable of samples.
    """
    check_count("xmap_readers: process_num", process_num)
    check_count("xmap_readers: buffer_size", buffer_size)
    if process_num < 1:
        raise ArgumentError(f"xmap_readers: process_num must be at least 1, got {process_num}")

    def read() -> Consumer:
        check_reader(reader, "xmap_readers")
        waiting, ready = Channel(buffer_size), Channel(buffer_size)
        feed, work = (_feed_in_order, _work_in_order) if order else (_feed, _work)
        jobs = [(feed, (reader, waiting, ready, process_num))] + [(work, (mapper, waiting, ready))] * process_num
        return Consumer(ready, [waiting, ready], jobs, ends=1 if order else process_num)

    return read


def _feed(reader: Reader, waiting: Channel, ready: Channel, workers: int) -> None:
    try:
        for sample in samples_of(reader, "xmap_readers"):
            if not waiting.put(sample):
                return
        for _ in range(workers):
            waiting.put(END)
    except BaseException as error:
        ready.put(Raised(error))


def _work(mapper: Callable[[Any], Any], waiting: Channel, ready: Channel) -> None:
    try:
        while (sample := waiting.get()) is not END and sample is not CLOSED:
            if not ready.put(mapper(sample)):
                return
        ready.put(END)
    except BaseException as error:
        ready.put(Raised(error))


def _feed_in_order(reader: Reader, waiting: Channel, ready: Channel, workers: int) -> None:
    # The position in the output is reserved before the work begins, so order costs no waiting among the workers.
    try:
        for sample in samples_of(reader, "xmap_readers"):
            place: Future = Future()
            if not (ready.put(place) and waiting.put((place, sample))):
                return
        for _ in range(workers):
            waiting.put(END)
        ready.put(END)
    except BaseException as error:
        ready.put(Raised(error))


def _work_in_order(mapper: Callable[[Any], Any], waiting: Channel, ready: Channel) -> None:
    while (job := waiting.get()) is not END and job is not CLOSED:
        place, sample = job
        try:
            place.set_result(mapper(sample))
        except BaseException as error:
            place.set_exception(error)


class Consumer:
    """Starts the jobs in threads and iterates over what arrives in `ready` until `ends` of them have ended.

    No thread is left behind: `close`, the end, an error, the garbage collector and the interpreter's exit stop all.
    """

    def __init__(self, ready: Channel, channels: list[Channel], jobs: Iterable[tuple], ends: int) -> None:
        self._ready = ready
        self._channels = channels
        self._ends = ends
        self._pid = os.getpid()
        self._threads = [
            threading.Thread(target=inherit(job), args=args, daemon=True, name="refluid-reader") for job, args in jobs
        ]
        for thread in self._threads:
            thread.start()
        _running.add(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        while self._ends:
            item = self._ready.get()
            if item is END:
                self._ends -= 1
            elif item is CLOSED:
                break
            elif isinstance(item, Raised):
                self.close()
                raise item.error
            elif isinstance(item, Future):
                try:
                    return item.result()
                except BaseException:
                    self.close()
                    raise
            else:
                return item
        self.close()
        raise StopIteration

    def waiting(self) -> int:
        """How many items are ready."""
        return len(self._ready)

    def close(self) -> None:
        self._ends = 0
        if self._pid != os.getpid():
            return  # a forked copy: the threads are the parent's, and one may have held a lock when it was forked
        for channel in self._channels:
            channel.close()
        for thread in self._threads:
            if thread is not threading.current_thread():  # the garbage collector runs anywhere
                thread.join(JOIN_SECONDS)
        self._threads = []
        _running.discard(self)

    def __del__(self, _is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not _is_finalizing():  # then modules are empty, and the threads end with the process
            self.close()


_running: weakref.WeakSet[Consumer] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """A thread inside a C++ library while the interpreter goes away ends the process with an abort."""
    for consumer in list(_running):
        consumer.close()
