"""Nothing lost, nothing twice: one-hot gradients tell, cell by cell, how often each update was applied.

Random faults happen to real processes (schedules.py). Where a test needs to know when what happens, trainers and
servers are threads that talk over sockets.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

import paddle.fluid as fluid
from refluid.distributed.server.serve import serve
from refluid.distributed.server.trainer import Trainer
from refluid.distributed.server.transport import Refused, Unreachable
from refluid.tensor.scope import Scope
from tests.distributed.ranks import TIMEOUT, ended, environment, free_ports, started
from tests.distributed.server.jobs import ROOT
from tests.distributed.server.programs import server_program

CELLS = 64  # of one trainer
TRAINERS = 2
SCHEDULES = int(os.environ.get("REFLUID_SCHEDULES", 200))  # more of them by hand: see schedules.py
CHUNKS = 8


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
            serve(main.global_block().ops[-1], self.scopes[index])
        except BaseException as error:
            self.failures.append(error)

    def applied(self) -> list[np.ndarray]:
        """How often each update was applied, when the servers have ended by themselves."""
        for thread in self.threads:
            thread.join(TIMEOUT)
            assert not thread.is_alive(), "a server has not ended"
        assert not self.failures
        return [np.array(scope.find_var(f"w{i}").get_tensor()) for i, scope in enumerate(self.scopes)]


def _push(trainer: Trainer, number: int, cell: int, servers: Servers) -> None:
    for i, endpoint in enumerate(servers.endpoints):
        value = torch.zeros(TRAINERS, CELLS)
        value[number, cell] = 1
        trainer.gather(endpoint, f"w{i}@GRAD.trainer_{number}", value)
    trainer.exchange()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, "waits for ever"
        time.sleep(0.02)


class Life:
    """A trainer in a thread, from its joining to its end."""

    def __init__(self, number: int, servers: Servers, cells: Iterator[int], steps: int):
        self.number, self.servers, self.cells, self.steps = number, servers, cells, steps
        self.acknowledged: list[int] = []
        self.failure: BaseException | None = None
        self.thread = threading.Thread(target=self._live, daemon=True)
        self.thread.start()

    def _live(self) -> None:
        try:
            trainer = Trainer(self.number, self.servers.endpoints)
            for _ in range(self.steps):
                self._step(trainer)
            trainer.leave()
        except (Unreachable, Refused, ValueError) as error:
            self.failure = error

    def _step(self, trainer: Trainer) -> None:
        cell, before = next(self.cells), trainer.acknowledged
        _push(trainer, self.number, cell, self.servers)
        if trainer.acknowledged > before:
            self.acknowledged.append(cell)


def check(servers: Servers, lives: list[Life]) -> None:
    for life in lives:
        life.thread.join(TIMEOUT)
        assert not life.thread.is_alive(), f"trainer {life.number} waits for ever"
        assert life.failure is None, life.failure
    for applied in servers.applied():
        assert set(np.unique(applied)) <= {0.0, 1.0}
        for life in lives:
            for cell in life.acknowledged:
                assert applied[life.number, cell] == 1, f"update {cell} of trainer {life.number} was lost"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_updates_are_applied_once_whoever_dies_when(tmp_path: Path, chunk: int) -> None:
    count = SCHEDULES // CHUNKS
    command = [sys.executable, "-m", "tests.distributed.server.schedules", str(chunk * count), str(count)]
    env = environment()
    env["PYTHONPATH"] += f":{ROOT}"
    with started([[*command, "--at-once", "8"]], [env], tmp_path) as processes:
        (found,) = ended(processes, 120 + 60 * count)
    assert found.code == 0, found.out + found.err


class Hung:
    """A connection of a process that is stopped."""

    def call(self, *request: object) -> None:
        raise Unreachable("stopped")

    def close(self) -> None:
        pass


def test_a_trainer_that_hangs_joins_again_and_the_other_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFLUID_TRAINER_LEASE", "3")
    servers, back = Servers(), threading.Event()

    def cells() -> Iterator[int]:
        yield from range(20)
        back.wait(TIMEOUT)
        yield from range(20, 40)

    quick, trainer = Life(0, servers, cells(), 40), Trainer(1, servers.endpoints)
    alive = {peer: peer._beats for peer in trainer._peers.values()}
    for peer in alive:
        peer._beats = Hung()
    until(lambda: len(quick.acknowledged) >= 20)
    for peer, beats in alive.items():
        peer._beats = beats
    with pytest.warns(UserWarning, match="trainer 1 was declared dead at step 0"):
        _push(trainer, 1, 0, servers)
    back.set()
    for cell in (1, 2, 3):
        _push(trainer, 1, cell, servers)
    trainer.leave()
    check(servers, [quick])
    assert trainer.acknowledged == 3
    for applied in servers.applied():
        assert applied[1].nonzero()[0].tolist() == [1, 2, 3]
