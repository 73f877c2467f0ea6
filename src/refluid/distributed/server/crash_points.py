"""Points at which a test may kill the process: `REFLUID_CRASH_AT` names one, with `:n` its n-th execution."""

from __future__ import annotations

import os
import signal

_passed: dict[str, int] = {}


def crash_point(name: str) -> None:
    """End the process as `kill -9` does, if the environment names this point."""
    wanted, _, count = os.environ.get("REFLUID_CRASH_AT", "").partition(":")
    if wanted != name:
        return
    _passed[name] = _passed.get(name, 0) + 1
    if _passed[name] == int(count or 1):
        os.kill(os.getpid(), signal.SIGKILL)
