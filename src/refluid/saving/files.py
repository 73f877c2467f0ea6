"""Writing files so that nothing is lost: all new files of a save appear, or none does.

Note [How a save survives a crash]
A save of several files writes them to a folder `.saving-*` inside the target. When all are on the disk, one rename to
`.saved-*` decides: from now on the new files count. They are moved to their places, and whoever finds a `.saved-*`
folder later (the next load or save) finishes the moving first. A crash before the rename leaves the old files, a crash
after it the new ones.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from typing import IO

from refluid.core.callsite import called_function
from refluid.core.errors import ArgumentError, EnforceNotMet

_STAGING, _COMMITTED = ".saving-", ".saved-"


@contextlib.contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """A new file at `path`, which appears whole or not at all."""
    folder = os.path.dirname(path) or "."
    _make(folder)
    _refuse_folder(path)
    with _told(folder):
        handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)[:100]}.", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            _to_disk(file)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
        _folder_to_disk(folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _make(folder: str) -> None:
    """The folder, and those around it, if it is not there yet."""
    if not isinstance(folder, str | os.PathLike):
        raise ArgumentError(f"save: the folder must be a str, got {type(folder).__name__}: {folder!r:.60}")
    with _told(folder):
        try:
            os.makedirs(folder, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ArgumentError(
                f"save: {os.fspath(folder)!r} cannot be a folder: a file of that name is there"
            ) from None


def _refuse_folder(path: str) -> None:
    """A folder in the place of a file would be found by the rename alone, when all is written."""
    if os.path.isdir(path):
        raise ArgumentError(f"save: {os.fspath(path)!r} cannot be a file: a folder of that name is there")


@contextlib.contextmanager
def _told(folder: str) -> Iterator[None]:
    """What the system refuses, with the name of the folder that the caller knows."""
    try:
        yield
    except OSError as error:
        raise EnforceNotMet(f"save: {os.fspath(folder)!r} cannot be written ({error.strerror})") from None


class Save:
    """The files of one save, by their paths inside the target folder."""

    def __init__(self, staging: str, folder: str):
        self._staging, self._folder = staging, folder

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        path = inside(self._staging, name)
        _refuse_folder(os.path.join(self._folder, name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            yield file
            _to_disk(file)


@contextlib.contextmanager
def saving(folder: str) -> Iterator[Save]:
    """Several new files in `folder`, which appear together or not at all."""
    folder = folder or "."
    _make(folder)
    settle(folder)
    _sweep(folder)
    with _told(folder):
        staging = tempfile.mkdtemp(prefix=f"{_STAGING}{socket.gethostname()}-{os.getpid()}-", dir=folder)
    try:
        yield Save(staging, folder)
        committed = os.path.join(folder, f"{_COMMITTED}{time.time_ns():020d}-{os.getpid()}")
        os.rename(staging, committed)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    _folder_to_disk(folder)
    settle(folder)


def settle(folder: str) -> None:
    """Finish the saves to `folder` that were decided but interrupted before all files were in place."""
    if not isinstance(folder, str | bytes | os.PathLike):
        raise ArgumentError(f"{called_function()}: dirname must be the path of a folder, got {type(folder).__name__}")
    try:
        entries = sorted(name for name in os.listdir(folder or ".") if name.startswith(_COMMITTED))
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        committed = os.path.join(folder, entry)
        for path, _, names in os.walk(committed):
            target = os.path.normpath(os.path.join(folder, os.path.relpath(path, committed)))
            os.makedirs(target, exist_ok=True)
            for name in names:
                with contextlib.suppress(FileNotFoundError):  # another process moves the same files
                    os.replace(os.path.join(path, name), os.path.join(target, name))
        _folder_to_disk(folder or ".")
        shutil.rmtree(committed, ignore_errors=True)


def inside(folder: str, name: str) -> str:
    """The path of `name` in `folder`; refuses names that lead out of it."""
    path = os.path.normpath(os.path.join(folder, name))
    if not name or os.path.isabs(name) or os.path.relpath(path, folder).split(os.sep)[0] in ("..", "."):
        raise ArgumentError(f"{name!r} cannot be the name of a file in {folder!r}: it leads out of the folder")
    return path


def _sweep(folder: str) -> None:
    """Remove what dead processes of this machine left half-written."""
    mine = f"{_STAGING}{socket.gethostname()}-"
    for entry in os.listdir(folder):
        if entry.startswith(mine) and not _alive(entry.removeprefix(mine).partition("-")[0]):
            shutil.rmtree(os.path.join(folder, entry), ignore_errors=True)


def _alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (ValueError, OSError):
        return True
    return True


def _to_disk(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _folder_to_disk(folder: str) -> None:
    """Make renames durable, where the file system can."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def _umask() -> int:
    """The process's mask; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
