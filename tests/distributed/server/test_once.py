"""Nothing lost, nothing twice: one-hot gradients tell, cell by cell, how often each update was applied.

Trainers are threads that talk to servers over sockets; one that dies stops beating and breaks its connections.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from collections.abc import Iterator

import grpc
import numpy as np
import pytest
import torch

import paddle.fluid as fluid
from refluid.distributed.server import peer as peers
from refluid.distributed.server.serve import serve
from refluid.distributed.server.trainer import Trainer
from refluid.distributed.server.transport import Connection, Refused, Unreachable
from refluid.tensor.scope import Scope
from tests.distributed.ranks import free_ports
from tests.distributed.server.programs import server_program

CELLS = 64  # of one trainer
TRAINERS = 2
SCHEDULES = int(os.environ.get("REFLUID_SCHEDULES", 12))  # more of them by hand


class Servers:
    """Two servers in threads, each with a parameter of a cell per (trainer, update)."""

    def __init__(self) -> None:
        self.endpoints = tuple(f"127.0.0.1:{port}" for port in free_ports(2))
        self.scopes = [Scope(), Scope()]
        self.failures: list[BaseException] = []
        self.threads = [threading.Thread(target=self._serve, args=(i,), daemon=True) for i in range(2)]
        for thread in self.threads:
            thread.start()

    def _serve(self, index: int) -> None:
        try:
            startup, main = server_program(
                self.endpoints[index], TRAINERS, {f"w{index}": [TRAINERS, CELLS]}, -1.0, mean=False
            )
            fluid.Executor(fluid.CPUPlace()).run(startup, scope=self.scopes[index])
            numbers = [block.idx for block in main.blocks[1:]]
            serve(main, self.endpoints[index], TRAINERS, numbers, self.scopes[index])
        except BaseException as error:
            self.failures.append(error)

    def applied(self) -> list[np.ndarray]:
        """How often each update was applied, when the servers have ended by themselves."""
        for thread in self.threads:
            thread.join(30)
            assert not thread.is_alive(), "a server has not ended"
        assert not self.failures
        return [np.array(scope.find_var(f"w{i}").get_tensor()) for i, scope in enumerate(self.scopes)]


def _push(trainer: Trainer, number: int, cell: int, servers: Servers) -> None:
    for i, endpoint in enumerate(servers.endpoints):
        value = torch.zeros(TRAINERS, CELLS)
        value[number, cell] = 1
        trainer.gather(endpoint, f"w{i}@GRAD.trainer_{number}", value)
    trainer.exchange()


class Life:
    """A trainer from its joining to its end, which may be a sudden one."""

    def __init__(self, number: int, servers: Servers, cells: Iterator[int], steps: int):
        self.number, self.servers, self.cells, self.steps = number, servers, cells, steps
        self.acknowledged: list[int] = []
        self.failure: BaseException | None = None
        self.trainer = Trainer.__new__(Trainer)  # that it can die while it joins
        self.dead = False
        self.joined = threading.Event()
        self.thread = threading.Thread(target=self._live, daemon=True)
        self.thread.start()

    def _live(self) -> None:
        try:
            self.trainer.__init__(self.number, self.servers.endpoints)
            self.joined.set()
            for _ in range(self.steps):
                self._step(self.trainer)
            self.trainer.leave()
        except (Unreachable, Refused, ValueError) as error:
            if not self.dead:
                self.failure = error

    def _step(self, trainer: Trainer) -> None:
        cell, before = next(self.cells), trainer.acknowledged
        _push(trainer, self.number, cell, self.servers)
        if trainer.acknowledged > before:
            self.acknowledged.append(cell)

    def die(self) -> None:
        """As if killed: no good-bye, no beat, broken connections."""
        self.dead = True
        while not hasattr(self.trainer, "_peers"):
            time.sleep(0.01)
        for peer in self.trainer._peers.values():
            peer._stopped.set()
            peer._connection.close()
            peer._beats.close()


@contextlib.contextmanager
def answers_that_get_lost(monkeypatch: pytest.MonkeyPatch, chance: random.Random) -> Iterator[None]:
    """Some answers do not arrive, so that requests are repeated which the server has already handled."""

    class Lost(grpc.RpcError):
        def code(self) -> grpc.StatusCode:
            return grpc.StatusCode.UNAVAILABLE

        def details(self) -> str:
            return "lost"

    class Lossy(Connection):
        def __init__(self, endpoint: str):
            super().__init__(endpoint)
            reliable = self._call

            def call(data: bytes, timeout: float | None) -> bytes:
                answer = reliable(data, timeout=timeout)
                if chance.random() < 0.1:
                    raise Lost
                return answer

            self._call = call

    with monkeypatch.context() as patched:
        patched.setattr(peers, "Connection", Lossy)
        yield


def check(servers: Servers, lives: list[Life]) -> None:
    for life in lives:
        life.thread.join(30)
        assert not life.thread.is_alive(), f"trainer {life.number} waits for ever"
        assert life.failure is None, life.failure
    for applied in servers.applied():
        assert set(np.unique(applied)) <= {0.0, 1.0}
        for life in lives:
            for cell in life.acknowledged:
                assert applied[life.number, cell] == 1, f"update {cell} of trainer {life.number} was lost"


@pytest.mark.parametrize("seed", range(SCHEDULES))
def test_updates_are_applied_once_whoever_dies_when(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setenv("REFLUID_TRAINER_LEASE", "1")
    chance = random.Random(seed)
    with answers_that_get_lost(monkeypatch, chance):
        servers = Servers()
        again = threading.Event()

        def cells_of_the_other() -> Iterator[int]:
            yield from range(9)
            again.wait(30)  # or else the job may be over before trainer 1 comes again
            yield 9

        cells = [cells_of_the_other(), iter(range(CELLS))]
        lives = [Life(i, servers, cells[i], 10) for i in range(TRAINERS)]
        time.sleep(chance.random())
        lives[1].die()
        time.sleep(chance.choice([0.0, 0.2, 1.5]))
        lives.append(Life(1, servers, cells[1], 5))
        assert lives[2].joined.wait(30)
        again.set()
        check(servers, lives)
    assert len(lives[0].acknowledged) == 10 and len(lives[2].acknowledged) == 5


class Hung:
    """A connection of a process that is stopped."""

    def call(self, *request: object) -> None:
        raise Unreachable("stopped")

    def close(self) -> None:
        pass


def test_a_trainer_that_hangs_joins_again_and_the_other_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFLUID_TRAINER_LEASE", "1")
    servers, back = Servers(), threading.Event()

    def cells() -> Iterator[int]:
        yield from range(20)
        back.wait(30)
        yield from range(20, 40)

    quick, trainer = Life(0, servers, cells(), 40), Trainer(1, servers.endpoints)
    alive = {peer: peer._beats for peer in trainer._peers.values()}
    for peer in alive:
        peer._beats = Hung()
    for _ in range(600):
        if len(quick.acknowledged) < 20:
            time.sleep(0.05)
    for peer, beats in alive.items():
        peer._beats = beats
    with pytest.warns(UserWarning, match="trainer 1 was taken for dead at step 0"):
        _push(trainer, 1, 0, servers)
    back.set()
    for cell in (1, 2, 3):
        _push(trainer, 1, cell, servers)
    trainer.leave()
    check(servers, [quick])
    assert trainer.acknowledged == 3
    for applied in servers.applied():
        assert applied[1].nonzero()[0].tolist() == [1, 2, 3]
