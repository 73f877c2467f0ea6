"""Asynchronous training by a Communicator: steps wait in a queue, a thread exchanges them, and the program goes on."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from refluid.core.errors import EnforceNotMet
from refluid.distributed.communicate.received import Received
from refluid.distributed.communicate.settings import Settings
from refluid.distributed.communicate.steps import Gathering, Step, by_server
from refluid.distributed.server.trainer import Trainer
from refluid.distributed.server.wire import Value


class Queued:
    """What fails in a thread is raised by the next step, or by the end."""

    def __init__(self, trainer: Trainer, received: Received, settings: Settings):
        self._trainer, self._received, self._settings = trainer, received, settings
        self._gathering = Gathering()
        self._steps: deque[Step] = deque()
        self._under_way = 0  # steps that are being exchanged
        self._unfetched = 0  # steps sent since parameters were fetched
        self._ending = False
        self._failure: BaseException | None = None
        self._changed = threading.Condition()
        loops = [self._send, self._fetch] if settings.independent_recv_thread else [self._send]
        self._threads = [threading.Thread(target=self._run, args=(loop,), daemon=True) for loop in loops]
        for thread in self._threads:
            thread.start()

    def take(self, attrs: dict[str, Any], names: list[str], values: list[Value], last: bool) -> None:
        self._gathering.add(attrs, names, values)
        if last:
            self._queue(self._gathering.taken())

    def _queue(self, step: Step) -> None:
        with self._changed:
            self._wait(lambda: len(self._steps) < self._settings.send_queue_size)
            self._steps.append(step)
            self._changed.notify_all()

    def barrier(self) -> None:
        if step := self._gathering.taken():
            self._queue(step)
        with self._changed:
            self._wait(lambda: not self._steps and not self._under_way)
        self._received.put(self._trainer.pull(self._received.wanted))

    def finish(self) -> None:
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        self._raise_failure()

    # -- the threads ----------------------------------------------------------------------------------------------

    def _run(self, loop: Callable[[], bool]) -> None:
        try:
            while loop():
                pass
        except BaseException as error:
            with self._changed:
                self._failure = self._failure or error
                self._ending = True
                self._changed.notify_all()

    def _send(self) -> bool:
        """Exchange the steps that wait; False at the end."""
        steps = self._next_steps()
        if not steps:
            return False
        fetches = not self._settings.independent_recv_thread
        gradients = by_server(steps, self._settings.is_sgd_optimizer)
        brought = self._trainer.push(gradients, self._received.wanted if fetches else {}, len(steps))
        if fetches:
            self._received.put(brought)
        with self._changed:
            self._under_way = 0
            self._unfetched += len(steps)
            self._changed.notify_all()
        return True

    def _next_steps(self) -> list[Step]:
        """At least one step, unless it is the end; more of them if they come in time."""
        with self._changed:
            self._changed.wait_for(lambda: self._steps or self._ending)
            steps: list[Step] = []
            while self._failure is None and len(steps) < self._settings.max_merge_var_num:
                wait = self._settings.wait_for_more if steps else 0.0
                if not self._changed.wait_for(lambda: self._steps or self._ending, wait) or not self._steps:
                    break
                steps.append(self._steps.popleft())
                self._under_way = len(steps)
                self._changed.notify_all()
            return steps

    def _fetch(self) -> bool:
        """Fetch parameters when enough has been sent; False at the end."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._unfetched > self._settings.min_send_grad_num_before_recv or self._ending
            )
            if self._ending:
                return False
            self._unfetched = 0
        self._received.put(self._trainer.pull(self._received.wanted))
        return True

    def _wait(self, reached: Callable[[], bool]) -> None:
        self._changed.wait_for(lambda: reached() or self._failure is not None)
        self._raise_failure()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise EnforceNotMet(f"the Communicator has failed: {self._failure}") from self._failure
