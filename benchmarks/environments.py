"""The Python environments of the contestants. Ours serves PyTorch too; the others are made outside the repository."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
SOURCES = Path(__file__).resolve().parent.parent / "src"
HOME = Path(os.environ.get("REFLUID_BENCH_ENVS") or CACHE / "refluid-bench")


class Unavailable(Exception):
    """Why a contestant cannot run."""


@dataclass(frozen=True)
class Environment:
    title: str
    package: str
    folder: Path | None = None  # None: the environment that runs this
    requirements: tuple[str, ...] = ()
    python: tuple[int, int] = sys.version_info[:2]

    def interpreter(self, install: bool) -> Path:
        """Path of its Python; the environment is made first when it is missing and `install` is set."""
        if self.folder is None:
            return Path(sys.executable)
        done = self.folder / "ok"
        if not done.exists():
            if not install:
                raise Unavailable("not installed")
            print(f"installing {self.title} ...", flush=True)
            command([find_python(self.python), "-m", "venv", "--clear", self.folder])
            pip = [self.folder / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
            command([*pip, *self.requirements])
            done.touch()
        return self.folder / "bin" / "python"


ENVIRONMENTS = {
    "refluid": Environment("Refluid", "refluid"),
    "torch": Environment("PyTorch eager", "torch"),
    "onnxruntime": Environment("onnxruntime", "onnxruntime"),
    "fluid": Environment(
        "Fluid 1.8.5",
        "paddlepaddle",
        Path(os.environ.get("FLUID_ORACLE") or CACHE / "fluid-1.8.5"),
        ("paddlepaddle==1.8.5", "protobuf<3.21", "numpy<1.20"),
        python=(3, 8),
    ),
    "paddle3": Environment("PaddlePaddle 3", "paddlepaddle", HOME / "paddle3", ("paddlepaddle>=3.3,<3.4",)),
    "jax": Environment("JAX jitted", "jax", HOME / "jax", ("jax",)),
}


def command(words: list) -> str:
    """Run a command; its output, or Unavailable with the last line that it complained with."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise Unavailable(lines[-1])
    return done.stdout.strip()


def find_python(version: tuple[int, int]) -> str:
    """A Python of that version that starts: ours, one on the PATH, or one of pyenv's."""
    if version == sys.version_info[:2]:
        return sys.executable
    name = "{}.{}".format(*version)
    on_path = shutil.which(f"python{name}")
    of_pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{name}.*/bin/python"))
    for candidate in ([on_path] if on_path else []) + [str(path) for path in reversed(of_pyenv)]:
        # pyenv puts a file on the PATH for every version, also for those that it is not set to start
        if subprocess.run([candidate, "--version"], capture_output=True).returncode == 0:
            return candidate
    raise Unavailable(f"no Python {name} found")


def variables_of(name: str, threads: int) -> dict[str, str]:
    """What a contestant's processes see: equal threads; this project's `paddle` where our code or models run.

    Every package is read from its bytecode: pip has written that of the peers, `write_bytecode` writes ours.
    """
    variables = {**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    for unequal in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"):
        variables.pop(unequal, None)
    if name in ("refluid", "onnxruntime"):
        variables["PYTHONPATH"] = str(SOURCES)
    return variables


def write_bytecode() -> None:
    """Compile this project's modules, as installing does: where nothing is written, every process would."""
    command([sys.executable, "-m", "compileall", "-q", SOURCES])


def version_of(interpreter: Path, package: str) -> str:
    """`package version (Python version, NumPy version)` as installed there."""
    code = "import platform, importlib.metadata as m; print(platform.python_version(), *map(m.version, {}))"
    python, numpy, version = command([interpreter, "-c", code.format(["numpy", package])]).split()
    return f"{package} {version} (Python {python}, NumPy {numpy})"
