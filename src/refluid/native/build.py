"""Compiling the kernels: once per machine, into the user's cache."""

from __future__ import annotations

import ctypes
import fcntl
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from refluid.core.warn import warn_once

KERNELS = Path(__file__).parent / "kernels"
# For this processor, whose vectors halve the time. No contraction to fused multiply-adds: results are those of the
# Python code everywhere. Nothing asks for floating-point traps, which would forbid vectors around divisions.
FLAGS = [
    "-O3", "-march=native", "-ffp-contract=off", "-fno-trapping-math", "-std=c++17", "-shared", "-fPIC",
    "-fvisibility=hidden",
]  # fmt: skip
LONGEST = 300  # seconds
_CHECKSUM = 32  # bytes at the end of a library, which loaders ignore


class CannotBuild(Exception):
    """Why there is no library."""


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "refluid"


def compiler() -> str | None:
    """The command that compiles C++: what CXX names, or what is found."""
    return os.environ.get("CXX") or next(filter(shutil.which, ("g++", "clang++", "c++")), None)


def load() -> ctypes.CDLL:
    """The library of the kernels; CannotBuild if there is no way to have it."""
    sources = sorted(KERNELS.iterdir())
    text = b"".join(path.name.encode() + path.read_bytes() for path in sources)
    return _library("kernels", text, [path for path in sources if path.suffix == ".cpp"])


def load_text(text: str) -> ctypes.CDLL:
    """The library of a C++ text; CannotBuild if there is no way to have it."""
    return _library("plan", text.encode(), None)


def _library(kind: str, text: bytes, sources: list[Path] | None) -> ctypes.CDLL:
    """From the cache, or compiled if it is not there or is damaged. Without `sources`, the text is the source."""
    command = compiler()
    if command is None:
        raise CannotBuild("no C++ compiler was found (g++, clang++, or what CXX names)")
    target = cache_folder() / f"{kind}-{_fingerprint(command, text)}.so"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        library = _from_cache(target)
        if library is None:
            with _alone(target.parent):  # processes of one job start at once: one of them compiles, the others wait
                library = _from_cache(target) or _compile(command, target, text, sources)
        return library
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotBuild(str(error)) from None


def _from_cache(target: Path) -> ctypes.CDLL | None:
    if not _is_whole(target):
        if target.exists():
            _tell_damage()
        return None
    try:
        return ctypes.CDLL(str(target))
    except OSError:
        return None  # of another system: it is made again


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, which the system takes away from whoever dies."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@functools.cache
def _tell_damage() -> None:
    """Warn once, however many libraries are damaged."""
    warn_once(f"a library of compiled code in {cache_folder()} is damaged; it is compiled again")


def _is_whole(library: Path) -> bool:
    """Whether the file ends with the checksum of the rest. The loader would crash over half a library."""
    try:
        content = library.read_bytes()
    except OSError:
        return False
    return hashlib.sha256(content[:-_CHECKSUM]).digest() == content[-_CHECKSUM:]


def _fingerprint(command: str, text: bytes) -> str:
    """Of everything that the library depends on."""
    found = hashlib.sha256(text)
    found.update(" ".join([command, processor(), *FLAGS]).encode())
    return found.hexdigest()[:16]


def processor() -> str:
    """What its instructions depend on: homes are shared by machines of several kinds."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line for line in lines if line.startswith(("flags", "Features"))), platform.machine())


def _compile(command: str, target: Path, text: bytes, sources: list[Path] | None) -> ctypes.CDLL:
    """Compile beside the target and rename: nobody ever sees half a library."""
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        library = Path(folder) / target.name
        if sources is None:
            sources = [Path(folder) / "plan.cpp"]
            sources[0].write_bytes(text)
        words = [*command.split(), *FLAGS, *map(str, sources), "-o", str(library)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST)
        if done.returncode:
            first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[:200])
            raise CannotBuild(f"{command} failed: {first}")
        with library.open("ab") as file:
            file.write(hashlib.sha256(library.read_bytes()).digest())
        os.replace(library, target)
    return ctypes.CDLL(str(target))
