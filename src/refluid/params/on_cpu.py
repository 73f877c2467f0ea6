"""init_on_cpu: 1.5's mark on constants that are to be made on the CPU."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

_forced = False


def force_init_on_cpu() -> bool:
    """Whether `init_on_cpu` is on."""
    return _forced


@contextlib.contextmanager
def init_on_cpu() -> Iterator[None]:
    """Constants that start-up programs make for variables created inside carry force_cpu=True."""
    global _forced
    before, _forced = _forced, True
    try:
        yield
    finally:
        _forced = before
