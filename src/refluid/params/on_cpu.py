"""init_on_cpu: 1.5's mark on constants that are to be made on the CPU."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from refluid.core.per_thread import PerThread

_forced = PerThread("force_init_on_cpu", False)


def force_init_on_cpu() -> bool:
    """Whether `init_on_cpu` is on.

    Returns:
        A bool.
    """
    return _forced.get()


@contextlib.contextmanager
def init_on_cpu() -> Iterator[None]:
    """A context manager: constants that start-up programs make for variables created inside have force_cpu=True.

    Yields:
        None.
    """
    with _forced.holding(True):
        yield
