"""The wheel that `make dist` builds works in a fresh environment, without the repository at hand."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import refluid

ROOT = Path(__file__).parent.parent

PROGRAM = """
import pathlib
import sys

import numpy as np
import paddle.fluid as fluid
import refluid

assert pathlib.Path(refluid.__file__).is_relative_to(sys.prefix), refluid.__file__
x = fluid.data("x", [None, 4])
loss = fluid.layers.mean(fluid.layers.square(fluid.layers.fc(x, 1) - 1.0))
fluid.optimizer.SGD(0.1).minimize(loss)
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
losses = [exe.run(feed={"x": np.ones([2, 4], "float32")}, fetch_list=[loss])[0][0] for _ in range(5)]
assert losses[-1] < losses[0], losses
print(refluid.__version__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what the repository tracks, so that nothing is left behind in the repository."""
    copy, out = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("dist")
    for name in ("src", "pyproject.toml", "README.md", "LICENSE"):
        subprocess.run(["cp", "-r", str(ROOT / name), str(copy)], check=True)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(copy)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


def test_a_wheel_holds_both_packages_and_the_sources_of_kernels_and_of_the_cpp_library(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "src" / "refluid"
    sources = [*(package / "native" / "kernels").iterdir(), *(package / "cpp").rglob("*.*")]
    expected = {str(path.relative_to(ROOT / "src")) for path in sources if path.is_file()}
    assert expected <= names, sorted(expected - names)
    assert {"paddle/fluid/__init__.py", "refluid/__init__.py"} <= names
    assert wheel.name.startswith(f"refluid-{refluid.__version__}-")


def test_a_program_runs_where_only_the_wheel_is_installed(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "fresh")], check=True)
    python = tmp_path / "fresh" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-index"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*install, "--disable-pip-version-check", str(wheel)], check=True, env=environment)
    # Dependencies come from the environment of the tests. Its own .pth files, which lead to this repository, do not.
    (inside,) = (tmp_path / "fresh" / "lib").glob("python*/site-packages")
    (inside / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run([python, "program.py"], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [refluid.__version__]
