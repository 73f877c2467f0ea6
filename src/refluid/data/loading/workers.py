"""Batches of a data set made by several processes, in the order of the indices."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from refluid.data.loading.process import Failure, Worker, WorkerError
from refluid.data.loading.wire import Wire

_AHEAD = 2  # tasks that wait at each worker, so that it never waits for the loop
_LOOK_SECONDS = 0.5  # how often to check the other workers while waiting for one

Make = Callable[[list[int]], Any]


class Batches:
    """make(indices) for every list of indices, made by `count` processes. Close it, or drop it, to end them.

    Batch i is made by worker i modulo `count`; results are taken in that order, so none has to be buffered.
    """

    def __init__(
        self,
        make: Make,
        tasks: Iterable[list[int]],
        count: int,
        shared: bool,
        timeout: float,
        init: Callable[[int], Any] | None,
        owner: str,
    ):
        self._owner = owner
        self._timeout = timeout
        self._tasks = iter(tasks)
        self._order: deque[Worker] = deque()  # who makes the batches that are under way
        seed = int(np.random.randint(2**31))  # every worker draws other numbers, the same for the same seed here

        def start(number: int) -> Worker:
            return Worker(lambda wire: _serve(wire, make, number, seed + number, init), owner, shared)

        self._workers: list[Worker] = []
        for number in range(count):
            self._workers.append(start(number))
            self._ask(self._workers[-1])  # it works while the others are started
        for _ in range(_AHEAD - 1):
            for worker in self._workers:
                self._ask(worker)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if not self._order:
            self.close()
            raise StopIteration
        worker = self._order.popleft()
        try:
            self._wait(worker)
            received = worker.receive()
        except BaseException:
            self.close()
            raise
        self._ask(worker)
        return received[0]

    def _ask(self, worker: Worker) -> None:
        task = next(self._tasks, None)
        if task is not None:
            worker.send(list(task))
            self._order.append(worker)

    def _wait(self, worker: Worker) -> None:
        end = time.monotonic() + self._timeout if self._timeout else None
        while not worker.wire.ready(
            _LOOK_SECONDS if end is None else max(0, min(_LOOK_SECONDS, end - time.monotonic()))
        ):
            for other in self._workers:
                if other is not worker:
                    other.check()
            if end is not None and time.monotonic() >= end:
                raise WorkerError(f"{self._owner}: no batch came within timeout={self._timeout} seconds")

    def close(self) -> None:
        self._order.clear()
        for worker in self._workers:
            worker.close()
        self._workers = []


def _serve(wire: Wire, make: Make, number: int, seed: int, init: Callable[[int], Any] | None) -> None:
    """The work of a worker: a batch for every list of indices that comes, until the connection is closed."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    if init is not None:
        init(number)
    while True:
        indices = wire.receive()
        try:
            batch = [make(indices)]
        except Exception as error:
            wire.send(Failure(error))
            return
        wire.send(batch)
