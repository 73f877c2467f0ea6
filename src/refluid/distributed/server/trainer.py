"""A trainer at run time: its send and recv operators become one exchange per server and step."""

from __future__ import annotations

import atexit
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import torch

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.warn import warn_once
from refluid.distributed.server.access import job_fingerprint
from refluid.distributed.server.crash_points import crash_point
from refluid.distributed.server.deadlines import LEAVING
from refluid.distributed.server.job_facts import NOTHING, About
from refluid.distributed.server.peer import Peer
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.wire import Message, Value
from refluid.distributed.transpile.config import DistributedMode
from refluid.distributed.world import patience
from refluid.executor.executor import at_close

_THREADS = 3  # threads that may call a server at a time


class Trainer:
    """Calls all servers in parallel: in sequence, two trainers could deadlock at two servers.

    Several threads may call it; pushes are serialized.
    """

    def __init__(self, number: int, endpoints: tuple[str, ...], about: About = NOTHING):
        self.number, self.endpoints = number, endpoints
        self.step = 0
        self._about = about
        self.acknowledged = 0  # steps that every server has applied
        self.waits = True  # for the other trainers; servers tell
        self.at_a_time = len(endpoints)  # threads that call servers; fewer in asynchronous training
        self.has_left = False
        self.before_leaving: list[Callable[[], None]] = []
        self._incarnation = secrets.randbits(53)
        self._peers = {endpoint: Peer(endpoint, number) for endpoint in endpoints}
        self._pool = ThreadPoolExecutor(_THREADS * len(endpoints), thread_name_prefix="refluid-trainer")
        self._gathered: dict[str, dict[str, Value]] = {endpoint: {} for endpoint in endpoints}
        self._wanted: dict[str, dict[str, None]] = {endpoint: {} for endpoint in endpoints}
        self._brought: dict[str, dict[str, Value]] = {endpoint: {} for endpoint in endpoints}
        self._turn, self._joining = threading.Lock(), threading.Lock()
        self._joined = 0
        try:
            self._join()
        except BaseException:
            self.leave()
            raise

    def gather(self, endpoint: str, name: str, value: Value) -> None:
        """A gradient for the exchange of this step."""
        self._gathered[endpoint][name] = value

    @property
    def has_gathered(self) -> bool:
        return any(self._gathered.values())

    def exchange(self) -> None:
        """Push the gradients of this step to all servers, and keep the parameters of the answers."""
        gathered, self._gathered = self._gathered, {endpoint: {} for endpoint in self.endpoints}
        wanted = {endpoint: list(names) for endpoint, names in self._wanted.items()}
        self._brought = self.push(gathered, wanted)

    def push(
        self, gradients: Mapping[str, dict[str, Value]], wanted: Mapping[str, list[str]], steps: int = 1
    ) -> dict[str, dict[str, Value]]:
        """Push the gradients of `steps` steps, and return the wanted parameters, by server.

        It is applied once. A trainer that was declared dead repeats it; in synchronous training it cannot, since the
        others have continued, and these gradients are lost.
        """
        with self._turn:
            covered = range(self.step, self.step + steps)
            ask = [e for e in self.endpoints if self.waits or gradients.get(e) or wanted.get(e)]
            while True:
                joined = self._joined
                try:
                    answers = self._at_all(
                        lambda peer: peer.push(
                            covered, gradients.get(peer.endpoint, {}), wanted.get(peer.endpoint, [])
                        ),
                        ask,
                    )
                    break
                except Refused as error:
                    if error.code != "expired":
                        raise
                    self._join_again(joined, error)
                    if self.waits:
                        return {endpoint: {} for endpoint in self.endpoints}
            self.step += steps
            self.acknowledged += steps
            return {endpoint: answers.get(endpoint, {}) for endpoint in self.endpoints}

    def take(self, endpoint: str, name: str) -> Value:
        """A parameter: from the last exchange, or else the server's current value."""
        self._wanted[endpoint][name] = None  # from now on exchanges bring it
        found = self._brought[endpoint].pop(name, None)
        return self.pull({endpoint: [name]})[endpoint][name] if found is None else found

    def pull(self, wanted: Mapping[str, list[str]]) -> dict[str, dict[str, Value]]:
        """Variables of servers, by server and name."""
        return self._as_member(lambda peer: peer.pull(self.step, wanted[peer.endpoint]), wanted)

    def rows(self, wanted: Mapping[str, dict[str, torch.Tensor]]) -> dict[str, dict[str, torch.Tensor]]:
        """The rows of ids, by endpoint and the names of parameters and tables."""
        answers = self._as_member(lambda peer: peer.ask("rows", wanted[peer.endpoint], step=self.step), wanted)
        return {endpoint: answer.tensors() for endpoint, answer in answers.items()}

    def ask(self, endpoint: str, kind: str, values: dict[str, Value] | None = None, **fields: object) -> Message:
        """A request of another file (`Server.answer`) to one server."""
        return self._as_member(lambda peer: peer.ask(kind, values, **fields), [endpoint])[endpoint]

    def ask_all(self, kind: str, of: Mapping[str, Mapping[str, Any]]) -> dict[str, Message]:
        """The same at the servers that `of` gives the fields for, all at once; what they answer."""
        return self._as_member(lambda peer: peer.ask(kind, **of[peer.endpoint]), of)

    def leave(self) -> None:
        """Notify all servers that can be reached within a few seconds."""
        self.has_left = True
        try:
            for finish in self.before_leaving:
                finish()
        finally:
            end = time.monotonic() + LEAVING
            for peer in self._peers.values():
                peer.leave(max(0.5, end - time.monotonic()))
            self._pool.shutdown(wait=False)

    def _join(self) -> None:
        """Join and enter; once more if a server has declared it dead between the two."""
        end = time.monotonic() + patience()
        while True:
            try:
                return self._join_once()
            except Refused as error:
                if error.code not in ("expired", "late") or time.monotonic() > end:
                    raise
                self._begin_a_life()

    def _begin_a_life(self) -> None:
        """In synchronous training: forget what the old incarnation had sent, and where it entered."""
        if self.waits:
            self._incarnation = secrets.randbits(53)

    def _join_once(self) -> None:
        job, about = job_fingerprint(list(self.endpoints)), self._about
        self._at_all(lambda peer: peer.hello(patience()))
        crash_point("trainer_said_hello")
        opened = max(self._at_all(lambda peer: peer.join(self._incarnation, job, about)).values())
        crash_point("trainer_joined")
        modes = {peer.endpoint: peer.mode for peer in self._peers.values()}
        self.waits = DistributedMode.SYNC in modes.values()
        if self.waits:
            if len(set(modes.values())) > 1:
                raise EnforceNotMet(f"servers of one job have different distributed_modes: {modes}")
            self.step = opened + 1 if opened else 0
        self._at_all(lambda peer: peer.enter(self.step))
        crash_point("trainer_entered")

    def _join_again(self, joined: int, error: Refused) -> None:
        """Join again after having been declared dead; unless another thread has done so since the `joined`-th time."""
        with self._joining:
            if self._joined != joined:
                return
            self._begin_a_life()
            step, self._brought = self.step, {endpoint: {} for endpoint in self.endpoints}
            self._join()
            self._joined += 1
        warn_once(f"trainer {self.number} was declared dead at step {step} and has joined again: {error.summary}")

    def _as_member(self, ask: Callable[[Peer], Any], endpoints: Iterable[str]) -> dict[str, Any]:
        """What these servers answer to a request that may be repeated."""
        while True:
            joined = self._joined
            try:
                return self._at_all(ask, endpoints)
            except Refused as error:
                if error.code != "expired":
                    raise
                self._join_again(joined, error)

    def _at_all(self, ask: Callable[[Peer], Any], endpoints: Iterable[str] | None = None) -> dict[str, Any]:
        """The answers of all servers (or some). An unreachable server is reported first, then a refusal."""
        chosen = list(self.endpoints if endpoints is None else endpoints)
        if len(chosen) == 1:
            return {chosen[0]: ask(self._peers[chosen[0]])}
        answers: dict[str, Any] = {}
        at_a_time = len(chosen) if self.waits else self.at_a_time
        for start in range(0, len(chosen), at_a_time):
            part = chosen[start : start + at_a_time]
            futures = {endpoint: self._future(ask, self._peers[endpoint]) for endpoint in part[:-1]}
            futures[part[-1]] = _answered(ask, self._peers[part[-1]])  # this thread would only wait
            failures = [error for future in futures.values() if (error := future.exception()) is not None]
            for error in sorted(failures, key=lambda error: isinstance(error, Refused) and error.code == "expired"):
                raise error
            answers.update((endpoint, future.result()) for endpoint, future in futures.items())
        return answers

    def _future(self, ask: Callable[[Peer], Any], peer: Peer) -> Future[Any]:
        """The answer of a server, called by a thread of the pool; at interpreter exit it accepts no more calls."""
        try:
            return self._pool.submit(ask, peer)
        except RuntimeError:
            return _answered(ask, peer)


def _answered(ask: Callable[[Peer], Any], peer: Peer) -> Future[Any]:
    """The answer of a server, called by this thread."""
    answered: Future[Any] = Future()
    try:
        answered.set_result(ask(peer))
    except Exception as error:
        answered.set_exception(error)
    return answered


_trainers: dict[int, Trainer] = {}


def trainer_of(number: int, endpoints: tuple[str, ...], about: About = NOTHING) -> Trainer:
    """The trainer of this process with that number; it joins on first use."""
    for endpoint in endpoints:
        host, _, port = endpoint.rpartition(":")
        if not host or not port.isdigit():
            raise ArgumentError(f"{endpoint!r} is no endpoint of a server; it must be host:port")
    trainer = _trainers.get(number)
    if trainer is None:
        trainer = _trainers[number] = Trainer(number, endpoints, about)
    elif not set(endpoints) <= set(trainer.endpoints):
        raise EnforceNotMet(
            f"trainer {number} has joined {list(trainer.endpoints)}, but the program names {list(endpoints)}"
        )
    return trainer


def joined(endpoints: Iterable[str]) -> Trainer | None:
    """The trainer of this process that has joined these servers, if there is one."""
    return next((one for one in _trainers.values() if set(endpoints) <= set(one.endpoints)), None)


def leave(trainer: Trainer) -> None:
    """Let one trainer leave."""
    _trainers.pop(trainer.number, None)
    trainer.leave()


def leave_all() -> None:
    """Executor.close(), and the end of the process."""
    while _trainers:
        _, trainer = _trainers.popitem()
        trainer.leave()


at_close.append(leave_all)
atexit.register(leave_all)
