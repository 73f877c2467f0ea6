"""A lock that several processes share: an open file."""

from __future__ import annotations

import fcntl
from typing import IO


def lock(file: IO) -> None:
    """Wait until nobody else has locked the file, and lock it."""
    fcntl.flock(file.fileno(), fcntl.LOCK_EX)


def unlock(file: IO) -> None:
    fcntl.flock(file.fileno(), fcntl.LOCK_UN)
