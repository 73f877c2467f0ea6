"""Jobs of servers and trainers as real processes, ended whatever happens."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

from tests.distributed.ranks import TIMEOUT, Ended, ended, environment, free_ports, started

ROOT = Path(__file__).parent.parent.parent.parent

SERVER = """
import os
import paddle.fluid as fluid
from tests.distributed.server.programs import server_program
index, endpoints = int(os.environ["INDEX"]), os.environ["ENDPOINTS"].split(",")
sizes = {name: shape for i, (name, shape) in enumerate(SIZES.items()) if i % len(endpoints) == index}
trainers, begin = int(os.environ["TRAINERS"]), float(os.environ.get("BEGIN", 0))
startup, main = server_program(endpoints[index], trainers, sizes, RATE, begin)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(startup)
exe.run(main)
"""


class Job:
    """Processes that are started one by one; `end` waits for some of them."""

    def __init__(self, folder: Path, server: str, trainer: str, servers: int, trainers: int, more: dict[str, str]):
        self.folder, self.servers, self.trainers = folder, servers, trainers
        (folder / "server.py").write_text(textwrap.dedent(server))
        (folder / "trainer.py").write_text(textwrap.dedent(trainer))
        self.endpoints = [f"127.0.0.1:{port}" for port in free_ports(servers)]
        self._more = more
        self._stack = contextlib.ExitStack()

    def start(self, role: str, index: int, **more: str) -> subprocess.Popen:
        told = {"INDEX": str(index), "ENDPOINTS": ",".join(self.endpoints), "TRAINERS": str(self.trainers)}
        env = environment(**{**told, **self._more, **more})
        env["PYTHONPATH"] += f":{ROOT}"
        command = [sys.executable, "-W", "error", str(self.folder / f"{role}.py")]
        return self._stack.enter_context(started([command], [env], self.folder))[0]

    def close(self) -> None:
        self._stack.close()


@contextlib.contextmanager
def job(
    folder: Path,
    trainer: str,
    sizes: dict[str, list[int]],
    rate: float,
    servers: int = 2,
    trainers: int = 2,
    **more: str,
) -> Iterator[Job]:
    server = f"SIZES, RATE = {sizes!r}, {rate!r}\n" + SERVER
    made = Job(folder, server, f"SIZES = {sizes!r}\n" + textwrap.dedent(trainer), servers, trainers, more)
    try:
        yield made
    finally:
        made.close()


def until(process: subprocess.Popen, text: str, said: bool = False, limit: float = TIMEOUT) -> None:
    """Read what it prints (or says, on its standard error) until a line begins with `text` (or has it)."""
    killed = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
    killed.start()
    try:
        for line in iter((process.stderr if said else process.stdout).readline, ""):
            if text in line if said else line.startswith(text):
                return
    finally:
        killed.cancel()
    raise AssertionError(f"ended before {text!r}: {'' if said else process.stderr.read()}")


def started_again(job: Job, index: int, server: subprocess.Popen, **more: str) -> subprocess.Popen:
    """The server that takes the place of one that kills itself at a crash point."""
    assert server.wait(TIMEOUT) == -signal.SIGKILL, server.stderr.read()
    return job.start("server", index, **more)


def well_ended(processes: list[subprocess.Popen], timeout: float = TIMEOUT) -> list[Ended]:
    found = ended(processes, timeout)
    for one in sorted(found, key=lambda one: one.code < 0):  # those that waited for another were killed
        assert one.code == 0, f"ended with {one.code}\n{one.out}\n{one.err}"
    return found
