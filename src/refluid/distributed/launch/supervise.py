"""Starts processes, forwards or logs their output, and ends them all when one has failed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import IO, Any

from refluid.distributed.launch.arguments import LaunchError
from refluid.distributed.server.deadlines import lease

GRACE = 5.0  # seconds between SIGTERM and SIGKILL
LAST_LINES = 20
_POLL = 0.05


@dataclass
class Task:
    """One process to be started: its command, environment and log file (`None`: output is passed on with `name`)."""

    name: str
    command: list[str]
    environment: dict[str, str]
    log: str | None = None
    serves: bool = False  # a server, which is not waited for
    place: str = ""  # where it listens
    note: str = ""  # the file that it creates when it begins to exit
    process: subprocess.Popen | None = None
    doing: str = ""  # its last activity

    @property
    def title(self) -> str:
        title = f"rank {self.name}" if self.name.isdigit() else self.name
        return f"{title} at {self.place}" if self.place else title

    @property
    def doing_file(self) -> str:
        return f"{self.note}.doing"

    @property
    def running(self) -> subprocess.Popen:
        assert self.process is not None
        return self.process


def base_environment(processes: int) -> dict[str, str]:
    """The common environment: no proxies, which would intercept traffic between ranks, and a share of the cores."""
    environment = {k: v for k, v in os.environ.items() if k.lower() not in ("http_proxy", "https_proxy")}
    cores = len(os.sched_getaffinity(0))
    environment.setdefault("OMP_NUM_THREADS", str(max(cores // max(processes, 1), 1)))
    environment.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # c10d logs every lost connection with a stack trace
    return environment


class Ended(Exception):
    """A signal was received."""

    def __init__(self, number: int):
        super().__init__(signal.Signals(number).name)
        self.number = number


def run(tasks: list[Task], max_restarts: int = 0) -> int:
    """Start everything and wait; the exit code is 0, that of the first that failed, or 128 + the signal received."""
    with _signals():
        try:
            for attempt in range(max_restarts + 1):
                failed = _run_once(tasks, attempt)
                if failed is None:
                    return 0
                _tell(failed)
                if attempt < max_restarts:
                    _say(f"starting again, {attempt + 1} of {max_restarts}")
            return _exit_code(failed)
        except Ended as ended:
            _say(f"{ended}: all processes are ended")
            return 128 + ended.number


def _run_once(tasks: list[Task], attempt: int) -> Task | None:
    """The task that failed first; None if all went well."""
    readers: list[threading.Thread] = []
    with tempfile.TemporaryDirectory(prefix="launch") as notes:
        try:
            for i, task in enumerate(tasks):
                task.note = os.path.join(notes, str(i))
                readers += _start(task, attempt)
            failed = _wait(tasks)
            if failed is not None:
                failed.doing = _last_words(failed)
            return failed
        finally:
            _end(tasks)
            for reader in readers:
                reader.join(timeout=GRACE)


def _start(task: Task, attempt: int) -> list[threading.Thread]:
    ours = {"REFLUID_RESTARTS": str(attempt), "REFLUID_LEAVING": task.note, "REFLUID_DOING": task.doing_file}
    environment = {**task.environment, **ours}
    options: dict[str, Any] = {"env": environment, "start_new_session": True, "preexec_fn": _end_with_launcher}
    try:
        if task.log is not None:
            with _log_file(task.log, "a" if attempt else "w") as file:
                task.process = subprocess.Popen(task.command, stdout=file, stderr=subprocess.STDOUT, **options)
            return []
        task.process = subprocess.Popen(task.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    except OSError as error:
        raise LaunchError(f"{task.title} cannot be started: {error}") from None
    process = task.process
    pairs = ((process.stdout, sys.stdout), (process.stderr, sys.stderr))
    readers = [threading.Thread(target=_pass_on, args=(task, source, to), daemon=True) for source, to in pairs]
    for reader in readers:
        reader.start()
    return readers


def _log_file(path: str, mode: str) -> IO[str]:
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        return open(path, mode)
    except OSError as error:
        raise LaunchError(f"--log_dir: {path} cannot be written: {error.strerror}") from None


def _end_with_launcher() -> None:
    """In the child: a launcher that is killed takes its processes with it (Linux's PR_SET_PDEATHSIG)."""
    with contextlib.suppress(OSError):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _pass_on(task: Task, source: IO[bytes] | None, to: IO[str]) -> None:
    assert source is not None
    with source:
        for line in iter(source.readline, b""):
            text = line.decode(errors="replace").rstrip("\n")
            to.write(f"[{task.name}] {text}\n")
            to.flush()


def _wait(tasks: list[Task]) -> Task | None:
    while True:
        for task in tasks:
            if task.running.poll() not in (None, 0):
                return _first(tasks, time.time())
        if all(task.running.poll() == 0 for task in tasks if not task.serves):
            return None
        time.sleep(_POLL)


def _first(tasks: list[Task], now: float) -> Task:
    """Of those that failed, the one that began to exit first: rank 0 notifies the others, and exits after them."""
    began = {task.name: os.stat(task.note).st_mtime if os.path.exists(task.note) else now for task in tasks}
    _until_ended([task for task in tasks if began[task.name] < now], GRACE)
    return min((task for task in tasks if task.running.poll() not in (None, 0)), key=lambda task: began[task.name])


def _end(tasks: list[Task]) -> None:
    """End what still runs: servers are given time to end by themselves, the others a SIGTERM, then a SIGKILL.

    A server ends when the lease of a killed worker has expired, and it has waited once more as long.
    """
    alive = [task for task in tasks if task.process is not None and task.process.poll() is None]
    if alive and all(task.serves for task in alive):
        _until_ended(alive, 2 * lease() + GRACE)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for task in tasks:
            if task.process is not None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(task.process.pid, number)  # with all that it has started
        _until_ended(alive, GRACE)


def _until_ended(tasks: list[Task], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while any(task.running.poll() is None for task in tasks) and time.monotonic() < deadline:
        time.sleep(_POLL)


@contextlib.contextmanager
def _signals() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise Ended(number)

    old = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def _last_words(task: Task) -> str:
    """The last activity of a process, from its file (refluid/distributed/doing.py)."""
    with contextlib.suppress(OSError), open(task.doing_file, errors="replace") as file:
        return file.read().rstrip("\0")
    return ""


def _tell(task: Task) -> None:
    code = task.running.returncode
    how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    if task.doing:
        how += f" ({task.doing})"
    if task.log is None:
        _say(f"{task.title} {how}; the others are ended")
        return
    with open(task.log, errors="replace") as file:
        lines = deque(file, maxlen=LAST_LINES)
    _say(f"{task.title} {how}; the others are ended. The last lines of {task.log}:")
    sys.stderr.write("".join(f"    {line.rstrip()}\n" for line in lines))
    sys.stderr.flush()


def _exit_code(task: Task | None) -> int:
    code = 0 if task is None else task.running.returncode
    return 128 - code if code < 0 else code


def _say(text: str) -> None:
    sys.stderr.write(f"launch: {text}\n")
    sys.stderr.flush()
