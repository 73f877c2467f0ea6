"""Random schedules of faults: processes are killed, stopped and started again while they train.

Every update has a cell of its own: the gradient of (trainer, update) is one in that cell and zero elsewhere, and the
learning rate is -1. At the end a cell tells how often its update was applied at that server.

    python -m tests.distributed.server.schedules 0 2000 --at-once 8

runs the schedules of seeds 0 to 1999, prints a line for each that went wrong and a summary, and ends with 1 if there
was one. Processes are forked from this one, which has imported everything and has started no thread.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

import paddle.fluid as fluid
from refluid.distributed.server import peer as peers
from refluid.distributed.server.crash_points import crash_point
from refluid.distributed.server.serve import serve
from refluid.distributed.server.state.place import FINISHED
from refluid.distributed.server.trainer import Trainer
from refluid.tensor.scope import Scope
from tests.distributed.ranks import free_ports
from tests.distributed.server.lossy import lossy
from tests.distributed.server.programs import server_program
from tests.distributed.server.proxy import Proxy, resetting

SERVERS, TRAINERS = 2, 2
LIVES, STEPS = 3, 6  # of a trainer: at most, and in each
CELLS = LIVES * STEPS
PATIENCE = 900.0  # seconds after which a schedule hangs for sure, however busy the machine is
LATE = 20.0  # seconds that a trainer may look for servers that have ended

_OF_SERVERS = (
    "before_log", "inside_log", "after_log", "before_answer_push", "after_answer_push", "before_answer_pull",
    "inside_snapshot", "before_snapshot_counts", "after_snapshot_counts", "inside_join", "before_answer_hello",
    "before_answer_enter", "after_answer_enter", "before_answer_leave", "before_finish", "after_finish",
)  # fmt: skip
_OF_TRAINERS = ("trainer_said_hello", "trainer_joined", "trainer_entered", "before_push", "after_push")
_ONCE = ("trainer_said_hello", "trainer_joined", "trainer_entered", "before_finish", "after_finish")


@dataclass
class Process:
    """A server or a trainer and the faults of its lives; it is started again until it has ended by itself."""

    run: Callable[[int], None]
    crashes: list[str]  # where its first lives end
    kills: list[float] = field(default_factory=list)  # when it is killed, in seconds from its start; 0: not
    stop: float = 0.0  # when its first life is stopped for a while
    done: Callable[[], bool] = lambda: False  # whether a life that was killed had done its work
    life: int = -1
    pid: int = 0
    began: float = 0.0
    stopped: float = 0.0
    code: int | None = None  # of the last life
    killed_when_done: bool = False
    came_late: bool = False

    def start(self, folder: Path) -> None:
        self.life += 1
        self.began = time.monotonic()
        self.pid = os.fork()
        if self.pid:
            return
        code = 1
        try:
            log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(log, 1), os.dup2(log, 2)
            os.environ["REFLUID_CRASH_AT"] = self.crashes[self.life] if self.life < len(self.crashes) else ""
            self.run(self.life)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def look(self, folder: Path, lease: float) -> None:
        """Let happen what is due; start it again if it was killed."""
        ended, status = os.waitpid(self.pid, os.WNOHANG)
        if ended:
            self.pid = 0
            if os.WIFSIGNALED(status) and self.done():
                self.code, self.killed_when_done = 0, True
            elif os.WIFSIGNALED(status) and self.life < LIVES - 1:
                self.start(folder)
            else:
                self.code = os.waitstatus_to_exitcode(status)
            return
        age = time.monotonic() - self.began
        if self.life < len(self.kills) and 0 < self.kills[self.life] < age:
            self.kills[self.life] = 0
            os.kill(self.pid, signal.SIGKILL)
        elif self.stop and self.life == 0 and age > self.stop:
            self.stop, self.stopped = 0, time.monotonic()
            os.kill(self.pid, signal.SIGSTOP)
        elif self.stopped and time.monotonic() - self.stopped > 1.5 * lease:
            self.stopped = 0
            os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


class Schedule:
    """The faults of one seed, and the job that meets them."""

    def __init__(self, seed: int, folder: Path):
        self.seed, self.folder = seed, folder
        self.chance = random.Random(seed)
        self.endpoints = [f"127.0.0.1:{port}" for port in free_ports(SERVERS)]
        self.mode = self.chance.choice([0, 0, 0, 1, 2, 3])  # a DistributedMode; half of them synchronous
        self.losing = self.chance.choice([0.0, 0.0, 0.1, 0.3])
        self.delaying = self.chance.choice([0.0, 0.0, 0.1])
        self.lease = 2.0  # a trainer that is forked into a busy machine may be silent for a second
        self.proxied = self.chance.random() < 0.3
        self.ways = [f"127.0.0.1:{port}" for port in free_ports(SERVERS)] if self.proxied else self.endpoints
        servers = [Process(lambda life, i=i: self._serve(i), self._crashes(_OF_SERVERS, 2)) for i in range(SERVERS)]
        trainers = [
            Process(lambda life, i=i: self._train(i, life), self._crashes(_OF_TRAINERS, 1)) for i in range(TRAINERS)
        ]
        for server, endpoint in zip(servers, self.endpoints, strict=True):
            server.done = lambda endpoint=endpoint: self._finished(endpoint)
        for process in (*servers, *trainers):
            if self.chance.random() < 0.25:
                process.kills = [self.chance.uniform(0.1, 2.0)]
        if self.chance.random() < 0.25:
            self.chance.choice(trainers).stop = self.chance.uniform(0.1, 1.0)
        self.servers, self.trainers = servers, trainers

    def _crashes(self, points: tuple[str, ...], most: int) -> list[str]:
        count = self.chance.choice([0, 0, *range(1, most + 1)])
        found = [self.chance.choice(points) for _ in range(count)]
        return [f"{one}:{1 if one in _ONCE else self.chance.randint(1, 8)}" for one in found]

    def _environment(self) -> None:
        os.environ.update(
            REFLUID_TRAINER_LEASE=str(self.lease),
            REFLUID_SERVER_PATIENCE="300",
            REFLUID_PSERVER_STATE_DIR=str(self.folder / "state"),
            REFLUID_PSERVER_STATE_RECORDS=str(self.chance.choice([4, 12, 5000])),
            FLAGS_rpc_deadline="300000",
        )

    def _serve(self, index: int) -> None:
        startup, main = server_program(
            self.endpoints[index], TRAINERS, {f"w{index}": [TRAINERS, CELLS]}, -1.0, mean=False, mode=self.mode
        )
        scope = Scope()
        fluid.Executor(fluid.CPUPlace()).run(startup, scope=scope)
        serve(main.global_block().ops[-1], scope)
        applied = np.array(scope.find_var(f"w{index}").get_tensor())
        file = self.folder / f"applied{index}.json"
        file.with_suffix(".part").write_text(json.dumps(applied.tolist()))
        file.with_suffix(".part").rename(file)  # all of it, or nothing if this is when it is killed

    def _train(self, number: int, life: int) -> None:
        peers.Connection = lossy(random.Random(self.seed * 100 + number * 10 + life), self.losing, self.delaying)
        trainer = Trainer(number, tuple(self.ways))
        with open(self.folder / f"acknowledged{number}", "a", buffering=1) as acknowledged:
            for cell in range(life * STEPS, (life + 1) * STEPS):
                before = trainer.acknowledged
                crash_point("before_push")
                self._push(trainer, number, cell)
                crash_point("after_push")
                if trainer.acknowledged > before:
                    acknowledged.write(f"{cell}\n")
        trainer.leave()

    def _resets(self, life: int) -> None:
        """The network: proxies that break connections."""
        proxies = [Proxy(target, int(way.split(":")[1])) for target, way in zip(self.endpoints, self.ways, strict=True)]
        resetting(proxies, random.Random(self.seed))

    def _push(self, trainer: Trainer, number: int, cell: int) -> None:
        for i, endpoint in enumerate(self.ways):
            value = torch.zeros(TRAINERS, CELLS)
            value[number, cell] = 1
            trainer.gather(endpoint, f"w{i}@GRAD" + ("" if self.mode else f".trainer_{number}"), value)
        trainer.exchange()

    def run(self) -> list[str]:
        """What is wrong."""
        self._environment()
        processes = [*self.servers, *self.trainers]
        self.chance.shuffle(processes)
        network = Process(self._resets, [])
        try:
            if self.proxied:
                network.start(self.folder)
            for process in processes:
                process.start(self.folder)
            end = over = time.monotonic() + PATIENCE
            while any(process.code is None for process in processes) and time.monotonic() < end:
                for process in processes:
                    if process.code is None:
                        process.look(self.folder, self.lease)
                if any(server.code != 0 for server in self.servers):
                    over = time.monotonic()
                elif time.monotonic() - over > LATE:
                    self._end_late_trainers()
                time.sleep(0.02)
        finally:
            for process in (*processes, network):
                process.kill()
        return self._wrong()

    def _end_late_trainers(self) -> None:
        """Those that look for the servers of a job that is over would do so until their patience ends."""
        for trainer in self.trainers:
            if trainer.code is None:
                trainer.kill()
                trainer.pid, trainer.code, trainer.came_late = 0, 1, True

    def _wrong(self) -> list[str]:
        named = {f"server {i}": p for i, p in enumerate(self.servers)}
        named |= {f"trainer {i}": p for i, p in enumerate(self.trainers)}
        wrong = [f"{name} does not end" for name, p in named.items() if p.code is None]
        wrong += [f"{name} ended with {p.code}" for name, p in named.items() if p.code and not self._job_was_over(name)]
        for server in range(SERVERS):
            file = self.folder / f"applied{server}.json"
            if not file.exists():
                if self.servers[server].code == 0 and not self.servers[server].killed_when_done:
                    wrong.append(f"server {server} does not tell what it has applied")
                continue
            applied = np.array(json.loads(file.read_text()))
            wrong += [f"server {server} has applied something {n} times" for n in set(applied.flat) - {0.0, 1.0}]
            for number in range(TRAINERS):
                lost = [cell for cell in self._acknowledged(number) if applied[number, cell] != 1]
                wrong += [f"server {server} has lost updates {lost} of trainer {number}"] if lost else []
        return wrong

    def _job_was_over(self, name: str) -> bool:
        """Whether the job ended without the last life of this trainer: it comes too late, and says so.

        The servers had taken it for dead or waited in vain for its first life, or it was killed between leaving and
        ending.
        """
        log, number = (self.folder / "log").read_text(), name.split()[1]
        without = rf"{name} is gone|{name} has left|trainer (\d, )*{number}(, \d)* has not come in time"
        return (
            name.startswith("trainer")
            and re.search(without, log) is not None
            and ("does not answer" in log or self.trainers[int(number)].came_late)
            and all(p.code == 0 for p in self.servers)
        )

    def _finished(self, endpoint: str) -> bool:
        """Whether the server has noted that the job is over; started again, it would wait for another."""
        return any((self.folder / "state").glob(f"*@{endpoint.replace(':', '_')}/{FINISHED}"))

    def _acknowledged(self, number: int) -> list[int]:
        file = self.folder / f"acknowledged{number}"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def faults(self) -> str:
        told = [f"{p.crashes}{p.kills}{p.stop or ''}" for p in (*self.servers, *self.trainers)]
        network = f"mode {self.mode}, losing {self.losing}, delaying {self.delaying}, resets {self.proxied}"
        return f"{network}, servers and trainers {' '.join(told)}"


def in_a_process(seed: int, keep: Path | None) -> int:
    """Fork a process that runs one schedule and ends with 1 if something is wrong."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    folder = Path(tempfile.mkdtemp(prefix=f"schedule{seed}-"))
    try:
        schedule = Schedule(seed, folder)
        faults = schedule.faults()
        wrong = schedule.run()
        code = int(bool(wrong))
        if wrong:
            log = folder / "log"
            told = f"\n{log.read_text()[-6000:]}" if log.exists() else ""
            os.write(1, f"seed {seed}: {'; '.join(wrong)} ({faults}){told}\n".encode())
            if keep:
                shutil.copytree(folder, keep / folder.name)
    except BaseException:
        traceback.print_exc()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(code)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--keep", type=Path, help="a folder for what schedules that went wrong have left")
    given = parser.parse_args()
    torch.set_num_threads(1)
    began, running, wrong = time.monotonic(), set(), 0
    seeds = iter(range(given.first, given.first + given.count))
    while True:
        while len(running) < given.at_once and (seed := next(seeds, None)) is not None:
            running.add(in_a_process(seed, given.keep))
        if not running:
            break
        pid, status = os.wait()
        running.discard(pid)
        wrong += status != 0
    print(f"{given.count} schedules, {wrong} wrong, {time.monotonic() - began:.0f} s", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
