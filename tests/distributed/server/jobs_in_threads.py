"""Whole jobs of DistributeTranspiler in one process: servers in threads, trainers in the thread of the test."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import paddle.fluid as fluid
from refluid.distributed.server.trainer import leave_all
from tests.distributed.ranks import TIMEOUT, free_ports

Feed = dict[str, np.ndarray]


def configured(**settings: Any) -> Any:
    config = fluid.DistributeTranspilerConfig()
    for name, value in settings.items():
        setattr(config, name, value)
    return config


class Trainer:
    """The programs of a trainer and a scope to run them in."""

    def __init__(self, network: Callable[[], Any], transpile: Callable[[int], Any], number: int):
        self.main, self.startup, self.scope = fluid.Program(), fluid.Program(), fluid.Scope()
        with fluid.program_guard(self.main, self.startup), fluid.unique_name.guard():
            self.cost = network()
            self.transpiler = transpile(number)
            self.program = self.transpiler.get_trainer_program(wait_port=False)
        self.exe = fluid.Executor(fluid.CPUPlace())

    def start(self) -> None:
        self.exe.run(self.startup, scope=self.scope)

    def run(self, feed: Feed) -> float:
        return self.exe.run(self.program, feed=feed, fetch_list=[self.cost], scope=self.scope)[0].item()

    def value(self, name: str) -> np.ndarray:
        return np.array(self.scope.find_var(name).get_tensor())


class Job:
    """Servers that are running, and what trainers need to take part."""

    def __init__(self, network: Callable[[], Any], config: Callable[[], Any], servers: int, trainers: int, kind: Any):
        self.endpoints = [f"127.0.0.1:{port}" for port in free_ports(servers)]
        self.network, self.config, self.trainers, self.kind = network, config, trainers, kind
        self.scopes = [fluid.Scope() for _ in range(servers)]
        self.failures: list[BaseException] = []
        self._threads = []
        for index in range(servers):
            programs = self._server_programs(self.endpoints[index])
            thread = threading.Thread(target=self._serve, args=(*programs, self.scopes[index]), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _transpile(self, number: int) -> Any:
        made = self.kind(config=self.config())
        made.transpile(
            number, pservers=",".join(self.endpoints), trainers=self.trainers, sync_mode=made.config.sync_mode
        )
        return made

    def _server_programs(self, endpoint: str) -> tuple[Any, Any]:
        with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
            self.network()
            return self._transpile(0).get_pserver_programs(endpoint)

    def _serve(self, main: Any, startup: Any, scope: Any) -> None:
        try:
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(startup, scope=scope)
            exe.run(main, scope=scope)
        except BaseException as error:
            self.failures.append(error)

    def trainer(self, number: int = 0) -> Trainer:
        return Trainer(self.network, self._transpile, number)

    def end(self) -> None:
        """All trainers leave; servers end by themselves."""
        leave_all()
        for thread in self._threads:
            thread.join(TIMEOUT)
            assert not thread.is_alive(), "a server has not ended"
        if self.failures:
            raise self.failures[0]

    def value(self, name: str) -> np.ndarray:
        """A variable of a server, or the pieces that servers have of it."""
        names = [name, *(f"{name}.block{i}" for i in range(len(self.scopes)))]
        found = [scope.find_var(one) for one in names for scope in self.scopes]
        return np.concatenate([np.array(var.get_tensor()) for var in found if var is not None])


@contextmanager
def job(
    network: Callable[[], Any],
    config: Callable[[], Any],
    servers: int = 2,
    trainers: int = 1,
    kind: Any = fluid.DistributeTranspiler,
) -> Iterator[Job]:
    made = Job(network, config, servers, trainers, kind)
    try:
        yield made
    finally:
        leave_all()


def alone(network: Callable[[], Any], feeds: list[Feed], names: list[str]) -> tuple[list[float], dict[str, np.ndarray]]:
    """The losses and the parameters after training in one process."""
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        cost = network()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup, scope=scope)
    losses = [exe.run(main, feed=feed, fetch_list=[cost], scope=scope)[0].item() for feed in feeds]
    return losses, {name: np.array(scope.find_var(name).get_tensor()) for name in names}
