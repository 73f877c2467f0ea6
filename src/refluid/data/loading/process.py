"""Worker processes: forked, watched, and ended with whoever uses them."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from refluid.core.errors import EnforceNotMet
from refluid.core.uncaught import short
from refluid.data.loading.wire import Closed, Wire

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

_WATCH_SECONDS = 1.0
_JOIN_SECONDS = 2.0

# Readers and data sets may be closures, which only a forked process inherits.
_FORK = multiprocessing.get_context("fork")


class WorkerError(EnforceNotMet):
    """A worker process died, or raised something that cannot travel between processes."""


class RemoteTraceback(Exception):
    """The traceback of an exception in the process where it was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class Failure:
    """An exception on its way to another process."""

    def __init__(self, error: BaseException) -> None:
        with short(error):
            self.text = "".join(traceback.format_exception(error))
        try:
            self.error = pickle.dumps(error)
            pickle.loads(self.error)
        except Exception:
            self.error = pickle.dumps(WorkerError(f"{type(error).__name__}: {error}"))

    def throw(self) -> None:
        raise pickle.loads(self.error) from RemoteTraceback(self.text)


class Worker:
    """A process that runs `work(wire)`; `wire` is this side's end. It ends with `close`, this object, this process."""

    def __init__(self, work: Callable[[Wire], None], owner: str, shared: bool = True) -> None:
        self.owner = owner
        self.wire, there = Wire.pair(shared)
        self.process = _FORK.Process(target=_live, args=(work, there, os.getpid()), daemon=True)
        self.process.start()
        there.close()
        self.close = weakref.finalize(self, _end, self.process, self.wire, os.getpid())

    def send(self, message: object) -> None:
        """Send a message. A dead worker is no error yet: `receive` comes to it after all that it has sent."""
        try:
            self.wire.send(message)
        except Closed:
            pass

    def check(self) -> None:
        """An error if the worker was killed; one that ended by itself has sent its reason."""
        if self.process.exitcode:
            raise WorkerError(
                f"{self.owner}: worker process {self.process.pid} died with exit code {self.process.exitcode}"
            )

    def receive(self) -> Any:
        """The next message. A Failure is raised here; a dead worker is an error."""
        try:
            message = self.wire.receive()
        except Closed:
            self.process.join(_JOIN_SECONDS)
            self.check()
            raise WorkerError(f"{self.owner}: worker process {self.process.pid} ended too early") from None
        if isinstance(message, Failure):
            message.throw()
        return message


def _live(work: Callable[[Wire], None], wire: Wire, parent: int) -> None:
    """The main function of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    torch.set_num_threads(1)  # the threads of the parent's pool were not forked along
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        work(wire)
    except Closed:
        pass
    except BaseException as error:
        try:
            wire.send(Failure(error))
        except Closed:
            pass


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_SECONDS)
    os._exit(1)


def _end(process: BaseProcess, wire: Wire, owner_pid: int) -> None:
    if os.getpid() != owner_pid:
        return  # a forked copy of the object
    wire.close()
    process.terminate()
    process.join(_JOIN_SECONDS)
    if process.is_alive():
        process.kill()
        process.join()
    process.close()


_END = "end"


def in_process(reader: Callable[[], Any], ahead: int, owner: str) -> Iterator[Any]:
    """The items of reader(), read in a process of its own, at most `ahead` of them before they are asked for."""

    def work(wire: Wire) -> None:
        allowed = ahead
        for item in reader():
            while not allowed or wire.ready(0):
                allowed += wire.receive()
            wire.send([item])
            allowed -= 1
        wire.send(_END)

    return _Items(Worker(work, owner))


class _Items:
    def __init__(self, worker: Worker) -> None:
        self._worker: Worker | None = worker

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._worker is None:
            raise StopIteration
        try:
            message = self._worker.receive()
        except BaseException:
            self.close()
            raise
        if message == _END:
            self.close()
            raise StopIteration
        self._worker.send(1)
        return message[0]

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None
