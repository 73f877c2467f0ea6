"""The location of the state of a server: one folder for each job and endpoint, locked by one process at a time."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
from pathlib import Path

from refluid.distributed.server.state.errors import StateRefused

FINISHED = "finished"  # the marker of a finished job


def claim(root: str, fingerprint: str, endpoint: str) -> tuple[Path, int]:
    """The folder of this job and endpoint, and the lock on it; refused if another job's unfinished state is there.

    What a finished job left at this endpoint is removed.
    """
    os.makedirs(root, mode=0o700, exist_ok=True)
    suffix = "@" + re.sub(r"[^A-Za-z0-9.-]", "_", endpoint)
    wanted = Path(root) / (hashlib.sha256(fingerprint.encode()).hexdigest()[:24] + suffix)
    lock = _locked(Path(root) / f"lock{suffix}", endpoint)
    try:
        for folder in sorted(Path(root).glob("*" + suffix)):
            if folder.is_dir():
                _look_at(folder, wanted, endpoint)
        wanted.mkdir(mode=0o700, exist_ok=True)
    except BaseException:
        os.close(lock)
        raise
    return wanted, lock


def _look_at(folder: Path, wanted: Path, endpoint: str) -> None:
    if (folder / FINISHED).exists():
        # The marker is removed last: an interrupted removal is resumed.
        for entry in folder.iterdir():
            if entry.name != FINISHED:
                entry.unlink()
        shutil.rmtree(folder)
    elif folder != wanted:
        raise StateRefused(
            f"{folder} holds the state of another job that has not finished at {endpoint}: its program, endpoints or "
            "number of trainers differ. Remove that folder if the job is not to be continued, or name another in "
            "REFLUID_PSERVER_STATE_DIR"
        )


def _locked(path: Path, endpoint: str) -> int:
    """The lock is released with the process, however it ends."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise StateRefused(f"another process is using the state of {endpoint} in {path.parent}") from None
    return lock
