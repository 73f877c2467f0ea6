"""Killing a save at every stage: in a forked process, at its n-th step on the file system."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial

_EVENTS = (
    "open",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.mkdir",
    "os.chmod",
    "os.listdir",
    "os.scandir",
    "shutil.rmtree",
)


def _die_at(stage: int) -> None:
    """Kill this process without a last word at its stage-th step on the file system."""
    left = stage

    def step(*_: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(lambda event, args: step() if event in _EVENTS else None)
    sync = os.fsync
    os.fsync = lambda handle: (step(), sync(handle))[1]  # type: ignore[assignment]  # no audit event tells of it


def in_a_process(work: Callable[[], None], prepare: Callable[[], None] | None = None) -> int:
    """Run `work` in a forked process; the code that it ended with, negative if it was killed."""
    child = os.fork()
    if child == 0:
        code = 3
        try:
            if prepare is not None:
                prepare()
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at_every_stage(work: Callable[[], None]) -> Iterator[int]:
    """Run `work` in processes that die at stage 0, 1, 2, ... of it; ends with the first that survives."""
    stage = 0
    while True:
        code = in_a_process(work, partial(_die_at, stage))
        if code == 0:
            return
        assert code == -signal.SIGKILL, code
        yield stage
        stage += 1
