"""Run tests/test_compat.py on every supported Python found here, with the newest NumPy below 2.4 and the newest Pillow.

The environments live outside the repository, in the user's cache folder, without torch: `refluid.compat` needs none.
"""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSIONS = ("3.12", "3.13")
PACKAGES = ("numpy<2.4", "Pillow", "pytest")
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


def environment(version: str, python: str) -> pathlib.Path:
    """The Python of an environment that holds PACKAGES in their newest releases."""
    folder = CACHE / version
    inside = folder / "bin" / "python"
    if not inside.exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
    pip = [str(inside), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--upgrade"]
    subprocess.run([*pip, *PACKAGES], check=True)
    return inside


def main() -> int:
    failed = []
    for version in VERSIONS:
        python = find(version)
        if python is None:
            print(f"Python {version}: not found, skipped", flush=True)
            continue
        inside = environment(version, python)
        print(f"Python {version}: {python}", flush=True)
        command = [str(inside), "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_compat.py"]
        if subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT / "src")}).returncode:
            failed.append(version)
    if failed:
        print(f"failed on Python {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
