"""Half-asynchronous and synchronous training by a Communicator: a step exchanges at its barrier, and waits for it."""

from __future__ import annotations

from typing import Any

from refluid.distributed.communicate.received import Received
from refluid.distributed.communicate.settings import Settings
from refluid.distributed.communicate.steps import Gathering, by_server
from refluid.distributed.server.trainer import Trainer
from refluid.distributed.server.wire import Value


class ByStep:
    """The step of each thread is one exchange. In synchronous training servers wait for the other trainers."""

    def __init__(self, trainer: Trainer, received: Received, settings: Settings):
        self._trainer, self._received = trainer, received
        self._adds = settings.is_sgd_optimizer
        self._gathering = Gathering()

    def take(self, attrs: dict[str, Any], names: list[str], values: list[Value], last: bool) -> None:
        self._gathering.add(attrs, names, values)
        if last:  # the program has no barrier
            self.barrier()

    def barrier(self) -> None:
        gradients = by_server([self._gathering.taken()], self._adds)
        self._received.put(self._trainer.push(gradients, self._received.wanted))

    def finish(self) -> None:
        """Nothing is left: steps that have ended were exchanged."""
