"""Compiling the kernels: once per machine, into the user's cache."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

KERNELS = Path(__file__).parent / "kernels"
# For this processor, whose vectors halve the time. No contraction to fused multiply-adds: results are those of the
# Python code everywhere. Nothing asks for floating-point traps, which would forbid vectors around divisions.
FLAGS = [
    "-O3", "-march=native", "-ffp-contract=off", "-fno-trapping-math", "-std=c++17", "-shared", "-fPIC",
    "-fvisibility=hidden",
]  # fmt: skip
LONGEST = 300  # seconds


class CannotBuild(Exception):
    """Why there is no library."""


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "refluid"


def compiler() -> str | None:
    """The command that compiles C++: what CXX names, or what is found."""
    return os.environ.get("CXX") or next(filter(shutil.which, ("g++", "clang++", "c++")), None)


def load() -> ctypes.CDLL:
    """The library, compiled if it is not in the cache or is damaged there; CannotBuild if that is impossible."""
    command = compiler()
    if command is None:
        raise CannotBuild("no C++ compiler was found (g++, clang++, or what CXX names)")
    target = cache_folder() / f"kernels-{_fingerprint(command)}.so"
    if target.exists():
        try:
            return ctypes.CDLL(str(target))
        except OSError:
            pass  # damaged: it is made again
    return _compile(command, target)


def _fingerprint(command: str) -> str:
    """Of everything that the library depends on."""
    found = hashlib.sha256()
    for path in sorted(KERNELS.iterdir()):
        found.update(path.name.encode() + path.read_bytes())
    found.update(" ".join([command, _processor(), *FLAGS]).encode())
    return found.hexdigest()[:16]


def _processor() -> str:
    """What its instructions depend on: homes are shared by machines of several kinds."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line for line in lines if line.startswith(("flags", "Features"))), platform.machine())


def _compile(command: str, target: Path) -> ctypes.CDLL:
    """Compile beside the target and rename: nobody ever sees half a library."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            library = Path(folder) / target.name
            sources = [str(path) for path in sorted(KERNELS.glob("*.cpp"))]
            words = [*command.split(), *FLAGS, *sources, "-o", str(library)]
            done = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST)
            if done.returncode:
                first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[:200])
                raise CannotBuild(f"{command} failed: {first}")
            os.replace(library, target)
        return ctypes.CDLL(str(target))
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotBuild(str(error)) from None
