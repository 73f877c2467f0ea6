"""A trainer at run time: what its send and recv operators hand over becomes one exchange per server and step."""

from __future__ import annotations

import atexit
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.warn import warn_once
from refluid.distributed.server.access import job_fingerprint
from refluid.distributed.server.deadlines import LEAVING
from refluid.distributed.server.peer import Peer
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.wire import Value
from refluid.distributed.world import patience
from refluid.executor.executor import at_close


class Trainer:
    """Talks to all servers at once: one after the other, two trainers could wait for each other at two servers."""

    def __init__(self, number: int, endpoints: tuple[str, ...]):
        self.number, self.endpoints = number, endpoints
        self.step = 0
        self.acknowledged = 0  # steps that every server has applied
        self._peers = {endpoint: Peer(endpoint, number) for endpoint in endpoints}
        self._pool = ThreadPoolExecutor(len(endpoints), thread_name_prefix="refluid-trainer")
        self._gathered: dict[str, dict[str, Value]] = {endpoint: {} for endpoint in endpoints}
        self._wanted: dict[str, dict[str, None]] = {endpoint: {} for endpoint in endpoints}
        self._brought: dict[str, dict[str, Value]] = {endpoint: {} for endpoint in endpoints}
        try:
            self._join()
        except BaseException:
            self.leave()
            raise

    def gather(self, endpoint: str, name: str, value: Value) -> None:
        """A gradient for the exchange of this step."""
        self._gathered[endpoint][name] = value

    def exchange(self) -> None:
        """Hand in the gradients of this step at all servers and take the parameters that come back."""
        gathered, self._gathered = self._gathered, {endpoint: {} for endpoint in self.endpoints}
        step = self.step

        def push(peer: Peer) -> dict[str, Value]:
            return peer.push(step, gathered[peer.endpoint], list(self._wanted[peer.endpoint]))

        try:
            self._brought = self._at_all(push)
        except Refused as error:
            if error.code != "expired":
                raise
            self._brought = {endpoint: {} for endpoint in self.endpoints}
            self._join()
            warn_once(f"trainer {self.number} was taken for dead at step {step} and has joined again: {error.summary}")
            return
        self.step += 1
        self.acknowledged += 1

    def take(self, endpoint: str, name: str) -> Value:
        """A parameter: what the exchange has brought, or else what the server has now."""
        self._wanted[endpoint][name] = None  # from now on exchanges bring it
        found = self._brought[endpoint].pop(name, None)
        return self._peers[endpoint].pull(self.step, [name])[name] if found is None else found

    def leave(self) -> None:
        """Tell all servers, as far as they can be reached within a few seconds."""
        end = time.monotonic() + LEAVING
        for peer in self._peers.values():  # not in the pool: no thread can be started when the interpreter ends
            peer.leave(max(0.5, end - time.monotonic()))
        self._pool.shutdown(wait=False)

    def _join(self) -> None:
        incarnation, job = secrets.randbits(53), job_fingerprint(list(self.endpoints))
        self._at_all(lambda peer: peer.hello(patience()))
        opened = max(self._at_all(lambda peer: peer.join(incarnation, job)).values())
        self.step = opened + 1 if opened else 0
        self._at_all(lambda peer: peer.enter(self.step))

    def _at_all(self, ask: Callable[[Peer], Any]) -> dict[str, Any]:
        """What every server answers. A server that is gone is told first, then a refusal."""
        futures = {endpoint: self._pool.submit(ask, peer) for endpoint, peer in self._peers.items()}
        failures = [error for future in futures.values() if (error := future.exception()) is not None]
        for error in sorted(failures, key=lambda error: isinstance(error, Refused) and error.code == "expired"):
            raise error
        return {endpoint: future.result() for endpoint, future in futures.items()}


_trainers: dict[int, Trainer] = {}


def trainer_of(number: int, endpoints: tuple[str, ...]) -> Trainer:
    """The trainer of this process with that number; it joins when it is first asked for."""
    for endpoint in endpoints:
        host, _, port = endpoint.rpartition(":")
        if not host or not port.isdigit():
            raise ArgumentError(f"{endpoint!r} is no endpoint of a server; it must be host:port")
    found = _trainers.get(number)
    if found is None:
        found = _trainers[number] = Trainer(number, endpoints)
    elif not set(endpoints) <= set(found.endpoints):
        raise EnforceNotMet(
            f"trainer {number} has joined {list(found.endpoints)}, but the program names {list(endpoints)}"
        )
    return found


def leave_all() -> None:
    """Executor.close(), and the end of the process."""
    while _trainers:
        _, trainer = _trainers.popitem()
        trainer.leave()


at_close.append(leave_all)
atexit.register(leave_all)
