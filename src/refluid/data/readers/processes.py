"""multiprocess_reader: several readers, each in a process of its own."""

import multiprocessing
import pickle
import queue
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.uncaught import short
from refluid.data.readers.calling import samples_of
from refluid.data.readers.combine import Reader

_SAMPLE, _END, _ERROR = range(3)
_LOOK_SECONDS = 1.0  # how often to check whether a process died while the queue is empty

# Readers are closures, which only a forked process inherits.
_FORK = multiprocessing.get_context("fork")


def multiprocess_reader(readers: list[Reader], use_pipe: bool = True, queue_size: int = 1000) -> Reader:
    """Read several readers at the same time, each in a process of its own; samples come in the order they are ready.

    Args:
        readers: a list of at least one reader.
        use_pipe: one pipe per process (the default), or one queue for all of them.
        queue_size: how many samples the queue holds.
    Returns:
        A reader. A sample must be picklable and not None. An exception in a process is raised here with its traceback.
    """
    if not isinstance(readers, (list, tuple)) or not readers:
        raise ArgumentError(f"multiprocess_reader: readers must be a list of at least one reader, got {readers!r}")

    def read() -> Iterator[Any]:
        workers: list[BaseProcess] = []
        messages: Any = _from_pipes(readers, workers) if use_pipe else _from_queue(readers, workers, queue_size)
        try:
            for message in messages:
                kind, value = pickle.loads(message)
                if kind == _SAMPLE:
                    yield value
                elif kind == _ERROR:
                    raise ArgumentError(f"multiprocess_reader: a reader raised in its process\n{value}")
                else:
                    workers[value].join()
        finally:
            messages.close()
            for worker in workers:
                worker.terminate()
                worker.join()

    return read


def _run(index: int, reader: Reader, send: Callable[[bytes], None]) -> None:
    """The main function of a process."""
    try:
        for sample in samples_of(reader, "multiprocess_reader"):
            if sample is None:
                raise ArgumentError("multiprocess_reader: a sample must not be None")
            send(pickle.dumps((_SAMPLE, sample)))
        send(pickle.dumps((_END, index)))
    except BaseException as error:
        with short(error):
            send(pickle.dumps((_ERROR, "".join(traceback.format_exception(error)))))


def _start(index: int, reader: Reader, send: Callable[[bytes], None], workers: list[BaseProcess]) -> None:
    workers.append(_FORK.Process(target=_run, args=(index, reader, send), daemon=True))
    workers[-1].start()


def _from_pipes(readers: list[Reader], workers: list[BaseProcess]) -> Iterator[bytes]:
    ends = []
    for index, reader in enumerate(readers):
        end, out = _FORK.Pipe(duplex=False)
        _start(index, reader, out.send_bytes, workers)
        out.close()  # before the next fork: a pipe ends only when nobody else holds its far side
        ends.append(end)
    whose = {end: worker for end, worker in zip(ends, workers)}
    try:
        while ends:
            for end in wait(ends):  # type: ignore[assignment]
                try:
                    yield end.recv_bytes()
                except EOFError:
                    ends.remove(end)
                    whose[end].join()
                    _check(whose[end])
    finally:
        for end in whose:
            end.close()


def _from_queue(readers: list[Reader], workers: list[BaseProcess], size: int) -> Iterator[bytes]:
    filled = _FORK.Queue(size)
    for index, reader in enumerate(readers):
        _start(index, reader, filled.put, workers)
    while True:
        try:
            yield filled.get(timeout=_LOOK_SECONDS if any(w.is_alive() for w in workers) else 0)
        except queue.Empty:
            for worker in workers:
                _check(worker)
            if not any(worker.is_alive() for worker in workers):
                return


def _check(worker: BaseProcess) -> None:
    """A process that ended well has sent its _END; one that was killed could not say so."""
    if not worker.is_alive() and worker.exitcode:
        raise ArgumentError(f"multiprocess_reader: {worker.name} died with exit code {worker.exitcode}")
