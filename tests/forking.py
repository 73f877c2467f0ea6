"""Processes of tests that start at once: forked from one that has imported torch, they run a script as Python does.

Importing torch is most of the start of a process, and tests of several processes start a thousand of them. `Forked`
is a `subprocess.Popen` for such scripts. Its process is a child of the test's and leads a session of its own. Nothing
of this project is imported before the script runs, so it finds the environment that the test asks for.
"""

from __future__ import annotations

import ctypes
import functools
import io
import json
import os
import socket
import subprocess
import sys
import threading
import types
import warnings

_SET_CHILD_SUBREAPER = 36  # of prctl
_LONGEST_REQUEST = 1 << 20  # bytes: words and environment


class Forked(subprocess.Popen):
    """A `Popen` with pipes in a new session whose command `can_fork`."""

    def _execute_child(self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *rest):
        out, err = rest[6], rest[8]
        words = args[1:]
        strict = words[:2] == _STRICT
        request = {"words": words[2:] if strict else words, "strict": strict, "cwd": str(cwd), "environment": env}
        self.pid = _origin().fork(request, out, err)
        self._child_created = True
        os.close(out)
        os.close(err)


_STRICT = ["-W", "error"]


def can_fork(command: list[str], environment: dict[str, str]) -> bool:
    """Whether a command is Python's with a script, and asks for as many threads as torch was imported with."""
    words = command[3:] if command[1:3] == _STRICT else command[1:]
    script = bool(words) and words[0].endswith(".py")
    return command[0] == sys.executable and script and environment.get("OMP_NUM_THREADS") == "1"


class _Origin:
    """The process that others are forked from; it ends when this one does."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (ours, theirs):
            for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                end.setsockopt(socket.SOL_SOCKET, option, _LONGEST_REQUEST)
        alone = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        command = [sys.executable, __file__, str(theirs.fileno())]
        self._process = subprocess.Popen(command, env={**alone, "OMP_NUM_THREADS": "1"}, pass_fds=[theirs.fileno()])
        theirs.close()
        self._control, self._lock = ours, threading.Lock()
        self._control.recv(1)  # torch is there

    def fork(self, request: dict, out: int, err: int) -> int:
        """The pid of a new child of this process."""
        prctl = ctypes.CDLL(None).prctl
        with self._lock:
            prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # children of those that end now become ours
            try:
                socket.send_fds(self._control, [json.dumps(request).encode()], [out, err])
                return int(self._control.recv(32))
            finally:
                prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


_origin = functools.cache(_Origin)


def _serve(control: socket.socket) -> tuple[dict, list[int]]:
    """Fork for every request; returns in the forked process, with its request and streams."""
    while True:
        data, streams, _, _ = socket.recv_fds(control, _LONGEST_REQUEST, 2)
        if not data:
            os._exit(0)
        read, write = os.pipe()
        between = os.fork()
        if between == 0:  # ends at once, so that its child becomes one of the test's process
            pid = os.fork()
            if pid == 0:
                os.close(read)
                os.close(write)
                control.close()
                return json.loads(data), streams
            os.write(write, str(pid).encode())
            os._exit(0)
        os.waitpid(between, 0)
        control.send(os.read(read, 32))
        for end in (read, write, *streams):
            os.close(end)


def _enter(request: dict, streams: list[int]) -> None:
    """What Python and its caller set up before a script runs."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, stream in enumerate(streams, 1):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdout = sys.__stdout__ = _unbuffered(1, "strict")
    sys.stderr = sys.__stderr__ = _unbuffered(2, "backslashreplace")
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    sys.argv = request["words"]
    folders = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    sys.path[:1] = [os.path.dirname(os.path.abspath(sys.argv[0])), *folders]
    if request["strict"]:
        sys.warnoptions.append("error")
        warnings.simplefilter("error")
    sys.modules["numpy"].random.seed()  # the others have the same


def _unbuffered(number: int, errors: str) -> io.TextIOWrapper:
    raw = io.FileIO(number, "w", closefd=False)
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, write_through=True)


def _run(script: str) -> None:
    main = types.ModuleType("__main__")
    main.__file__ = script
    sys.modules["__main__"] = main
    try:
        with open(script, "rb") as file:
            code = compile(file.read(), script, "exec")
        exec(code, main.__dict__)
    except Exception as error:  # as an interpreter does, without the frames of this file
        sys.excepthook(type(error), error.with_traceback(error.__traceback__.tb_next), error.__traceback__)
        sys.exit(1)


if __name__ == "__main__":
    import torch  # noqa: F401  (what this file is for)

    control = socket.socket(fileno=int(sys.argv[1]))
    control.send(b"!")
    _enter(*_serve(control))
    _run(sys.argv[0])
