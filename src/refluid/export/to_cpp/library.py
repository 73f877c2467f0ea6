"""libpaddle_fluid.so: the C++ library that runs packages, built by CMake once per machine into the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import torch

from refluid.core.errors import NotFoundError
from refluid.native.build import KERNELS, cache_folder, compiler, processor

SOURCES = Path(__file__).parent.parent.parent / "cpp"
LIBRARY = "libpaddle_fluid.so"
LONGEST = 900  # seconds


def include_folder() -> str:
    """Where paddle_inference_api.h is."""
    return str(SOURCES / "include")


def library_folder() -> str:
    """Where libpaddle_fluid.so is; it is built if it is not there."""
    folder = cache_folder() / f"cpp-{_fingerprint()}"
    if not (folder / LIBRARY).exists():
        _build(folder)
    return str(folder)


def _fingerprint() -> str:
    """Of everything that the library depends on."""
    found = hashlib.sha256(f"{torch.__version__} {torch.__file__} {compiler()} {processor()}".encode())
    for path in [*sorted(SOURCES.rglob("*")), *sorted(KERNELS.iterdir())]:
        if path.is_file():
            found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()[:16]


def _build(folder: Path) -> None:
    """Build elsewhere and rename: nobody ever sees half a library."""
    missing = [name for name in ("cmake", compiler() or "g++") if shutil.which(name.split()[0]) is None]
    if missing:
        needed = " and ".join(missing)
        raise NotFoundError(f"the C++ library cannot be built: {needed} is not here; install CMake and a C++ compiler")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as place:
            prefix = f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}"
            _run("cmake", "-S", str(SOURCES), "-B", f"{place}/build", prefix, f"-DCMAKE_CXX_COMPILER={compiler()}")
            _run("cmake", "--build", f"{place}/build", "--parallel", str(len(os.sched_getaffinity(0))))
            ready = Path(place) / "ready"
            ready.mkdir()
            shutil.move(f"{place}/build/{LIBRARY}", ready / LIBRARY)
            try:
                os.rename(ready, folder)
            except OSError:  # another process was faster
                if not (folder / LIBRARY).exists():
                    raise
    except OSError as error:
        raise NotFoundError(f"the C++ library cannot be built in {folder.parent}: {error}") from None


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        raise NotFoundError(f"the C++ library cannot be built: {command[0]} took more than {LONGEST} s") from None
    if done.returncode:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        first = next((i for i, line in enumerate(lines) if "rror" in line), 0)
        # A compiler says what is wrong in that line, CMake in the next.
        count = 2 if lines and lines[first].startswith("CMake Error") else 1
        reason = lines[first : first + count] or ["no reason given"]
        raise NotFoundError(f"the C++ library cannot be built: {' '.join(reason)}")
