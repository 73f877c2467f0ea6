"""Which parameter server holds which variable."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from refluid.core.errors import NotDefinedError


class PSDispatcher:
    """Base of dispatchers: `dispatch` gives an endpoint per variable."""

    def __init__(self, pserver_endpoints: Sequence[str]):
        self._eps = pserver_endpoints
        self._step = 0

    @property
    def eps(self) -> Sequence[str]:
        return self._eps

    def reset(self) -> None:
        """Begin with the first server again."""
        self._step = 0

    def dispatch(self, varlist: Sequence[Any]) -> list[str]:
        raise NotDefinedError(f"{type(self).__name__} must define dispatch")


class HashName(PSDispatcher):
    """By the name of a variable, alike in every process (1.8.5 fails: it calls `var.name()`)."""

    def dispatch(self, varlist: Sequence[Any]) -> list[str]:
        names = (var if isinstance(var, str) else var.name for var in varlist)
        return [self._eps[zlib.crc32(name.encode()) % len(self._eps)] for name in names]


class RoundRobin(PSDispatcher):
    """One after the other, going on where the last call ended."""

    def dispatch(self, varlist: Sequence[Any]) -> list[str]:
        found = []
        for _ in varlist:
            found.append(self._eps[self._step])
            self._step = (self._step + 1) % len(self._eps)
        return found
