"""The running Communicator of this process, as Fluid has one: `send` operators pass their inputs to it."""

from __future__ import annotations

from typing import Any, Protocol

from refluid.distributed.server.wire import Value


class Exchanger(Protocol):
    """What a Communicator does with the steps of a program."""

    def take(self, attrs: dict[str, Any], names: list[str], values: list[Value], last: bool) -> None:
        """A `send` with these attributes and inputs; `last` says that it is the last one of a step."""

    def barrier(self) -> None:
        """Return when everything taken is applied, and the parameters are those after it."""

    def finish(self) -> None:
        """Send what is left, and end."""


_running: list[Exchanger] = []


def running() -> Exchanger | None:
    return _running[0] if _running else None


def run(exchanger: Exchanger) -> None:
    _running[:] = [exchanger]


def end(exchanger: Exchanger) -> None:
    if exchanger in _running:
        _running.remove(exchanger)
