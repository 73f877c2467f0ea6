"""Decides at a server when gradients are applied: `Rounds` in synchronous training, `Arrivals` in the others."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from refluid.distributed.server.journal import Kept
from refluid.distributed.server.members import Member, Members
from refluid.distributed.server.wire import Value


class Coordinator(Kept, Protocol):
    """Its methods take the lock and refuse requests of non-members. `kinds` are the records that it replays."""

    kinds: tuple[str, ...]
    members: Members
    failure: Exception | None

    def join(self, number: int, incarnation: int) -> tuple[Member, int]:
        """A trainer joins, perhaps again; returns it and the step that it may begin after."""

    def enter(self, number: int, session: str, step: int) -> None:
        """The trainer takes part from `step` on."""

    def beat(self, number: int, session: str) -> None: ...

    def leave(self, number: int, session: str) -> None: ...

    def push(self, number: int, session: str, step: int, gradients: dict[str, Value], first: int | None = None) -> None:
        """Take the gradients of a step, or those of the steps from `first` on, once.

        Returns when the trainer may have the parameters.
        """

    def wait(self, number: int, session: str, step: int) -> None:
        """Return when the trainer may have the parameters of `step`."""

    def reading(self, name: str) -> AbstractContextManager[object]:
        """A context in which the variable `name` is not updated."""

    def seen(self, number: int, names: list[str]) -> None:
        """The trainer is sent these parameters."""

    def forgotten(self, number: int) -> None:
        """The trainer knows the server from an incarnation whose memory is lost."""

    def expire(self) -> bool:
        """Remove members whose leases have expired; whether the server has finished."""

    def summary(self) -> str:
        """A summary for the log."""
