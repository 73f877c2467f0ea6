"""Real processes for tests: small, one thread each, ended whatever happens."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import textwrap
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from tests.forking import Forked, can_fork

SOURCES = Path(__file__).parent.parent.parent / "src"
TIMEOUT = 600  # seconds after which something hangs for sure: processes of a busy machine take long to start
# What lets processes of a busy machine wait for one another; tests of those that are gone set their own.
PATIENT = {
    "REFLUID_TRAINER_LEASE": "60", "REFLUID_RANK_LEASE": "60", "REFLUID_SERVER_PATIENCE": "300",
    "FLAGS_rpc_deadline": "600000",
}  # fmt: skip


@dataclass
class Ended:
    """How a process has ended."""

    code: int
    out: str
    err: str

    def lines(self) -> list[str]:
        return self.out.splitlines()


# Files of abstract Unix sockets, each named after a port that this process has given out: they keep other tests from
# taking the port before it is bound by whom it is for, and go with the process.
_reserved: deque[int] = deque()
_MOST_RESERVED = 300


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that nobody listens at."""
    return [ports_in_a_row(1)[0] for _ in range(count)]


def ports_in_a_row(count: int) -> list[int]:
    """The same, one after the other.

    They lie below those that the system gives to outgoing connections, which may take one that nobody listens at yet.
    """
    while True:
        first, notes = random.SystemRandom().randrange(18000, max(_first_of_outgoing(), 30000) - count), []
        with contextlib.suppress(OSError), contextlib.ExitStack() as taken:
            for port in range(first, first + count):
                # The note first: whom a port is promised to may bind it at any moment, and must not find it tried here.
                note = taken.enter_context(socket.socket(socket.AF_UNIX))
                note.bind(f"\0refluid-test-port-{port}")
                notes.append(note)
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port))
            _reserved.extend(note.detach() for note in notes)
            while len(_reserved) > _MOST_RESERVED:
                os.close(_reserved.popleft())
            return list(range(first, first + count))


def _first_of_outgoing() -> int:
    return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])


def environment(**more: str) -> dict[str, str]:
    """What processes of a test are started with: these sources, one thread, patience, nothing of an outer job."""
    outer = {k: v for k, v in os.environ.items() if not k.startswith(("PADDLE_", "FLAGS_", "CUDA_VISIBLE"))}
    return {**outer, "PYTHONPATH": str(SOURCES), "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1",
            "TORCH_CPP_LOG_LEVEL": "ERROR", **PATIENT, **more}  # fmt: skip


def of_rank(rank: int, ports: list[int], **more: str) -> dict[str, str]:
    """The variables of one rank, as launch sets them."""
    endpoints = [f"127.0.0.1:{port}" for port in ports]
    return environment(
        PADDLE_TRAINER_ID=str(rank),
        PADDLE_TRAINERS_NUM=str(len(ports)),
        PADDLE_TRAINER_ENDPOINTS=",".join(endpoints),
        PADDLE_CURRENT_ENDPOINT=endpoints[rank],
        **more,
    )


@contextlib.contextmanager
def started(commands: list[list[str]], environments: list[dict[str, str]], cwd: Path):
    """Processes, each the first of its own group; the groups are killed at the end."""
    processes = [_started(command, env, cwd) for command, env in zip(commands, environments, strict=True)]
    try:
        yield processes
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()
            process.stderr.close()


def _started(command: list[str], env: dict[str, str], cwd: Path) -> subprocess.Popen:
    start = Forked if can_fork(command, env) else subprocess.Popen
    return start(
        command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def ended(processes: list[subprocess.Popen], timeout: float = TIMEOUT) -> list[Ended]:
    """Wait for all of them, reading what they print meanwhile."""
    found: list[Ended | None] = [None] * len(processes)

    def read(i: int) -> None:
        try:
            out, err = processes[i].communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(processes[i].pid, signal.SIGKILL)
            out, err = processes[i].communicate()
            err += f"\n(killed after {timeout} s)"
        found[i] = Ended(processes[i].returncode, out, err)

    readers = [threading.Thread(target=read, args=(i,)) for i in range(len(processes))]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return [one for one in found if one is not None]


def run_ranks(tmp_path: Path, script: str, count: int = 2, timeout: float = TIMEOUT, **more: str) -> list[Ended]:
    """One script in `count` ranks."""
    file = tmp_path / "script.py"
    file.write_text(textwrap.dedent(script))
    ports = free_ports(count)
    commands = [[sys.executable, "-W", "error", str(file)]] * count
    with started(commands, [of_rank(rank, ports, **more) for rank in range(count)], tmp_path) as processes:
        return ended(processes, timeout)


def run(tmp_path: Path, script: str, count: int = 2, **more: str) -> list[Ended]:
    """The same, of a script that must not fail."""
    found = run_ranks(tmp_path, script, count, **more)
    for rank, one in enumerate(found):
        assert one.code == 0, f"rank {rank} ended with {one.code}\n{one.out}\n{one.err}"
    return found
