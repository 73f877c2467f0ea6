"""A job whose servers and trainers are threads of this process, each with programs and a scope of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import paddle.fluid as fluid
from refluid.distributed.server import trainer as trainers_of_this_process
from tests.distributed.ranks import TIMEOUT, free_ports


@dataclass
class Role:
    """One trainer: its programs, what the network function has returned, and a scope."""

    index: int
    main: Any
    startup: Any
    made: Any
    scope: Any

    def run(self, program: Any, **options: Any) -> Any:
        return fluid.Executor(fluid.CPUPlace()).run(program, scope=self.scope, **options)


def built(network: Callable[[], Any], prepare: Callable[[Any], None] = lambda made: None) -> Role:
    """The programs of a network, with a scope."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        made = network()
        prepare(made)
    return Role(0, main, startup, made, fluid.Scope())


def together(
    network: Callable[[], Any], work: Callable[[Role], Any], servers: int = 2, trainers: int = 2, sync: bool = True,
    config: Any = None,
) -> list[Any]:  # fmt: skip
    """What `work` returns for every trainer of a transpiled network, whose startup program has run."""
    endpoints = [f"127.0.0.1:{port}" for port in free_ports(servers)]
    roles, server_programs = [], []
    for index in range(trainers):
        t = fluid.DistributeTranspiler(config)
        role = built(
            network,
            lambda _, t=t, index=index: t.transpile(
                index, pservers=",".join(endpoints), trainers=trainers, sync_mode=sync
            ),
        )
        role.index = index
        with fluid.program_guard(role.main, role.startup):
            if index == 0:
                server_programs = [t.get_pserver_programs(endpoint) for endpoint in endpoints]
            role.main = t.get_trainer_program(wait_port=False)
        roles.append(role)
    results: list[Any] = [None] * trainers
    done = threading.Barrier(trainers)
    failures: list[BaseException] = []

    def serve(main: Any, startup: Any) -> None:
        exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
        exe.run(startup, scope=scope)
        exe.run(main, scope=scope)

    def train(role: Role) -> None:
        try:
            role.run(role.startup)
            results[role.index] = work(role)
            # Programs copied before transpile ask by any trainer of the process, which must be there yet.
            done.wait(TIMEOUT)
        except BaseException:
            done.abort()
            raise
        finally:
            found = trainers_of_this_process._trainers.pop(role.index, None)
            if found is not None:
                found.leave()

    def guarded(target: Callable[..., None], *args: Any) -> None:
        try:
            target(*args)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(serve, *programs), daemon=True) for programs in server_programs]
    threads += [threading.Thread(target=guarded, args=(train, role), daemon=True) for role in roles]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
        if failures:  # one that broke the barrier came before those that found it broken
            raise failures[0]
        assert not thread.is_alive(), "a server or a trainer has not ended"
    return results
