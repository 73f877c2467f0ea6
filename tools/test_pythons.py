"""Run the test suite on every supported Python found here: test_pythons.py [--only VERSIONS] [what pytest takes].

Each has an environment of its own in the user's cache folder, made as `make venv` makes .venv, with the pins of
constraints.txt. On other Pythons than 3.11 the package index may only have torch with CUDA's libraries, 5 GB each.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSIONS = ("3.10", "3.11", "3.12", "3.13")
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "refluid" / "pythons"
PYENV = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv") / "versions"


def find(version: str) -> str | None:
    """The first interpreter of this version that starts: from PATH, else from pyenv's folder."""
    on_path = shutil.which(f"python{version}")
    candidates = [on_path] if on_path else []
    candidates += sorted(str(path) for path in PYENV.glob(f"{version}.*/bin/python"))
    for candidate in candidates:
        # A pyenv shim is on PATH even when its version is not switched on; then it only prints an error.
        asked = subprocess.run([candidate, "-c", "import sys; print(sys.version)"], capture_output=True, text=True)
        if asked.returncode == 0 and asked.stdout.startswith(version + "."):
            return candidate
    return None


def environment(version: str, python: str) -> pathlib.Path | None:
    """The Python of an environment with everything that the tests need; None if it cannot be made."""
    folder = CACHE / version
    inside = folder / "bin" / "python"
    if not inside.exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
    pip = [str(inside), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    installed = subprocess.run([*pip, "-c", "constraints.txt", "-e", ".[dev,demo,export]"], cwd=ROOT)
    return inside if installed.returncode == 0 else None


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the test suite on every supported Python found here.")
    parser.add_argument("--only", default=",".join(VERSIONS), help="versions, between commas")
    arguments, chosen = parser.parse_known_args()
    versions = arguments.only.split(",")
    unknown = [version for version in versions if version not in VERSIONS]
    if unknown:
        parser.error(f"--only: expected versions out of {', '.join(VERSIONS)}, got {', '.join(unknown)}")
    lines, failed = [], False
    for version in versions:
        python = find(version)
        if python is None:
            lines.append(f"Python {version}: not found")
            continue
        print(f"Python {version}: {python}", flush=True)
        inside = environment(version, python)
        began = time.monotonic()
        command = [str(inside), "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen]
        settings = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "", "OMP_NUM_THREADS": "1"}
        passed = inside is not None and subprocess.run(command, cwd=ROOT, env=settings).returncode == 0
        failed |= not passed
        result = "no environment" if inside is None else "passed" if passed else "failed"
        lines.append(f"Python {version}: {result}, {time.monotonic() - began:.0f} s")
    print("\n".join(lines))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
