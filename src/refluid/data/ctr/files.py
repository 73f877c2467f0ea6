"""Reading files through a command, several at a time, in the order of the list."""

from __future__ import annotations

import os
import subprocess
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial

from refluid.core.errors import ArgumentError
from refluid.data.ctr.slots import Instance, Slot, parse
from refluid.data.readers.threads import Consumer, buffered

_AHEAD = 1024  # instances that wait per file


def lines_of(path: str, command: str) -> Iterator[tuple[int, bytes]]:
    """(number, line) of what a command makes of a file."""
    if not os.path.isfile(path):
        raise ArgumentError(f"dataset: there is no file {path}")
    with open(path, "rb") as file, subprocess.Popen(command, shell=True, stdin=file, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield from enumerate(process.stdout, 1)
        except GeneratorExit:
            process.kill()
            raise
    if process.returncode:
        raise ArgumentError(
            f"dataset: the pipe command {command!r} ended with exit code {process.returncode} on {path}"
        )


def instances(paths: Sequence[str], slots: Sequence[Slot], command: str, threads: int) -> Iterator[Instance]:
    """The instances of the files, `threads` of which are read and parsed at the same time."""

    def of(path: str) -> Iterator[Instance]:
        for number, line in lines_of(path, command):
            if line.strip():
                yield parse(line, slots, f"{path}:{number}")

    waiting = iter(paths)
    running: deque[Consumer] = deque()
    try:
        while True:
            while len(running) < max(threads, 1) and (path := next(waiting, None)) is not None:
                running.append(buffered(partial(of, path), _AHEAD)())
            if not running:
                return
            yield from running[0]
            running.popleft()
    finally:
        for one in running:
            one.close()
