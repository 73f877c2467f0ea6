"""How long training stands still after a death, and what the state folder of parameter servers costs.

    python benchmarks/server_faults.py

Processes are forked: two servers and two trainers that push dense gradients. Times are wall clock, costs are CPU time
(user and system) of all processes, taken in turns with and without a state folder.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

import paddle.fluid as fluid
from refluid.distributed.server.serve import serve
from refluid.distributed.server.trainer import Trainer
from refluid.tensor.scope import Scope

SERVERS, TRAINERS = 2, 2


def server_program(endpoint: str, name: str, shape: list[int]) -> tuple[fluid.Program, fluid.Program]:
    """What DistributeTranspiler writes for one parameter, trained by Momentum."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        attr = fluid.ParamAttr(name=name, initializer=fluid.initializer.Constant(0.0))
        x = fluid.data("x", [None, shape[0]])
        loss = fluid.layers.mean(fluid.layers.fc(x, shape[1], param_attr=attr, bias_attr=False))
        fluid.optimizer.Momentum(0.001, 0.9).minimize(loss)
        config = fluid.DistributeTranspilerConfig()
        config.slice_var_up = False
        transpiler = fluid.DistributeTranspiler(config)
        transpiler.transpile(0, pservers=endpoint, trainers=TRAINERS, program=main, startup_program=startup)
        return transpiler.get_pserver_programs(endpoint)


class Job:
    """Forked servers and trainers; trainers write the time of every step to a file."""

    def __init__(self, folder: Path, shape: list[int], steps: int, state: bool, lease: float = 8.0):
        self.folder, self.shape, self.steps = folder, shape, steps
        ports = random.SystemRandom().sample(range(12000, 30000), SERVERS)
        self.endpoints = tuple(f"127.0.0.1:{port}" for port in ports)
        os.environ["REFLUID_PSERVER_STATE_DIR"] = str(folder / "state") if state else ""
        os.environ["REFLUID_TRAINER_LEASE"] = str(lease)
        self.cpu = 0.0
        self.pids: dict[tuple[str, int], int] = {}
        for role in ("server", "trainer"):
            for index in range(SERVERS if role == "server" else TRAINERS):
                self.start(role, index)

    def start(self, role: str, index: int) -> None:
        self.pids[role, index] = _forked(lambda: (self._serve if role == "server" else self._train)(index))

    def kill(self, role: str, index: int) -> None:
        os.kill(self.pids[role, index], signal.SIGKILL)
        self._reap(self.pids.pop((role, index)))

    def end(self) -> float:
        """Wait for all; the CPU seconds of all."""
        for pid in self.pids.values():
            self._reap(pid)
        return self.cpu

    def _reap(self, pid: int) -> None:
        _, _, used = os.wait4(pid, 0)
        self.cpu += used.ru_utime + used.ru_stime

    def _serve(self, index: int) -> None:
        main, startup = server_program(self.endpoints[index], f"w{index}", self.shape)
        scope = Scope()
        fluid.Executor(fluid.CPUPlace()).run(startup, scope=scope)
        serve(next(op for op in main.global_block().ops if op.type == "listen_and_serv"), scope)

    def _train(self, number: int) -> None:
        trainer = Trainer(number, self.endpoints)
        for i, endpoint in enumerate(self.endpoints):
            with contextlib.suppress(Exception):
                trainer.take(endpoint, f"w{i}")
        with open(self.folder / f"steps{number}", "a", buffering=1) as told:
            for _ in range(self.steps):
                for i, endpoint in enumerate(self.endpoints):
                    trainer.gather(endpoint, f"w{i}@GRAD.trainer_{number}", torch.ones(self.shape))
                trainer.exchange()
                told.write(f"{time.monotonic()}\n")
        trainer.leave()

    def step_after(self, moment: float, number: int = 0) -> float:
        """When the trainer made its first step after `moment`."""
        while True:
            file = self.folder / f"steps{number}"
            for line in file.read_text().splitlines() if file.exists() else ():
                if float(line) > moment:
                    return float(line)
            time.sleep(0.02)

    def listens(self, index: int) -> float:
        """When the server is there."""
        host, port = self.endpoints[index].split(":")
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection((host, int(port)), 1).close()
                return time.monotonic()
            time.sleep(0.01)


def _forked(run: Callable[[], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        run()
        code = 0
    finally:
        os._exit(code)


@contextlib.contextmanager
def folder():
    made = Path(tempfile.mkdtemp(prefix="server-faults-"))
    try:
        yield made
    finally:
        shutil.rmtree(made)


def after_a_trainer() -> float:
    with folder() as place:
        job = Job(place, [100, 100], 2000, state=False)
        job.step_after(job.step_after(0.0, 1))
        job.kill("trainer", 1)
        died = time.monotonic()
        time.sleep(0.5)  # a step that was under way is none
        took = job.step_after(died + 0.5) - died
        for role, index in list(job.pids):
            job.kill(role, index)
        return took


def after_a_server() -> float:
    with folder() as place:
        job = Job(place, [100, 100], 2000, state=True)
        job.step_after(job.step_after(0.0))
        job.kill("server", 0)
        job.start("server", 0)
        there = job.listens(0)
        took = job.step_after(there) - there
        for role, index in list(job.pids):
            job.kill(role, index)
        return took


def cpu(state: bool, shape: list[int], steps: int) -> float:
    with folder() as place:
        return Job(place, shape, steps, state).end()


def main() -> None:
    torch.set_num_threads(1)
    print(f"from a trainer's death to the other's next step: {after_a_trainer():.1f} s (at most 10)")
    print(f"from a restarted server that listens to the next step: {after_a_server():.1f} s (at most 3)")
    for shape, steps in (([1000, 2500], 40), ([100, 100], 400)):
        ratios = [cpu(True, shape, steps) / cpu(False, shape, steps) for _ in range(3)]
        size = SERVERS * shape[0] * shape[1]
        print(f"state folder, {size} parameters: CPU time x {statistics.median(ratios):.2f} ({ratios})")


if __name__ == "__main__":
    main()
