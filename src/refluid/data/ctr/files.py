"""Reading files through a command, several at a time, in the order of the list."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from refluid.core.errors import ArgumentError
from refluid.data.ctr.slots import Instance, Slot, parse
from refluid.data.readers.threads import Consumer, buffered

_AHEAD = 1024  # instances that wait per file


class Remote(NamedTuple):
    """How files of a Hadoop file system (hdfs: and afs: before their paths) are read."""

    name: str = ""
    user: str = ""
    download: str = ""  # a command that writes the file whose path is put after it

    def command(self, path: str) -> str:
        if self.download:
            return f"{self.download} {shlex.quote(path)}"
        settings = (("fs.default.name", self.name), ("hadoop.job.ugi", self.user))
        given = "".join(f" -D {key}={shlex.quote(value)}" for key, value in settings if value)
        return f"hadoop fs{given} -text {shlex.quote(path)}"


def lines_of(path: str, command: str, remote: Remote | None = None) -> Iterator[tuple[int, bytes]]:
    """(line number, line) of a command's output for a file."""
    if path.startswith(("hdfs:", "afs:")):
        path, command = os.devnull, f"set -o pipefail; {(remote or Remote()).command(path)} | ({command})"
        command = f"bash -c {shlex.quote(command)}"
    elif not os.path.isfile(path):
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


def instances(
    paths: Sequence[str],
    slots: Sequence[Slot],
    command: str,
    threads: int,
    marked: Sequence[str] = (),
    remote: Remote | None = None,
) -> Iterator[Instance]:
    """The instances of the files, `threads` of which are read and parsed at the same time."""

    def of(path: str) -> Iterator[Instance]:
        for number, line in lines_of(path, command, remote):
            if line.strip():
                yield parse(line, slots, f"{path}:{number}", marked)

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
        for reader in running:
            reader.close()
