"""Membership at a server, in every mode: trainers join, enter, send heartbeats, leave or expire; all of it is recorded.

Every change is a message that is recorded and then applied by `replay`, so a server that was killed comes back with
the sessions of its trainers.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.deadlines import lease
from refluid.distributed.server.journal import Journal
from refluid.distributed.server.members import Member, Members
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.wire import Message, Value


class Attendance:
    """What `Rounds` and the asynchronous modes have in common. `kinds` are the changes that `replay` applies."""

    kinds: tuple[str, ...] = ("joined", "entered", "left", "awaited no more")
    unsettled: tuple[str, ...] = ()  # those whose values stay in memory

    def __init__(self, members: Members, say: Callable[[str], None], journal: Journal | None = None):
        self.members = members
        self.open = 0  # the step at which trainers that join may enter
        self.failure: Exception | None = None
        self._forgotten = False
        self._say = say
        self._journal = journal or Journal()
        self._changed = threading.Condition()

    def join(self, number: int, incarnation: int) -> tuple[Member, int]:
        """A trainer joins, perhaps again; returns it and the open step."""
        with self._change():
            known = self.members.known(number, incarnation)
            if known is None:
                self._do("joined", trainer=number, incarnation=incarnation, session=secrets.token_hex(16))
                self._say(f"trainer {number} has joined")
            return self.members.present[number], self.open

    def enter(self, number: int, session: str, step: int) -> None:
        """The trainer takes part from `step` on."""
        with self._change():
            member = self.members.of(number, session)
            if member.entry is None:
                if step < self.open:
                    raise Refused("late", f"trainer {number} enters at step {step}, but step {self.open} is open")
                self._do("entered", trainer=number, step=step)

    def beat(self, number: int, session: str) -> None:
        with self._changed:
            self.members.of(number, session)

    def leave(self, number: int, session: str) -> None:
        with self._change():
            self.members.of(number, session)
            self._do("left", trainer=number, died=False)
            self._say(f"trainer {number} has left")

    def seen(self, number: int, names: list[str]) -> None:
        """A trainer is sent these parameters; synchronous training does not record which."""

    def forgotten(self, number: int) -> None:
        """A trainer knows this server from an incarnation whose memory is lost; it leaves; others may never join."""
        with self._changed:
            if not self.members.present and not self.members.began:
                self.members.begin()
                self._forgotten = True
                self._say(f"trainer {number} knows what this server has lost; new trainers must join in time")

    def expire(self) -> bool:
        """Remove members whose leases have expired; whether all trainers have left, or the server has failed."""
        if self.failure is not None:
            return True
        with self._change():
            for number in self.members.silent():
                self._do("left", trainer=number, died=True)
                self._say(f"trainer {number} is gone: not heard for {lease():g} s; the others go on")
            late = self.members.late()
            if late and self._forgotten and not self.members.present:
                self.failure = EnforceNotMet(
                    "this server was restarted without a state folder and has lost its parameters, and no "
                    "trainer has joined it since; REFLUID_PSERVER_STATE_DIR keeps what a server has learned"
                )
            elif late:
                self._say(f"trainer {', '.join(map(str, late))} has not come in time; the others begin")
                self._do("awaited no more")
            return self.members.all_left() or self.failure is not None

    def pieces(self) -> Iterator[Message]:
        yield Message("attendance", {"open": self.open, **self.members.fields()})

    def restore(self, pieces: Iterator[Message]) -> None:
        fields = next(pieces).fields
        self.open = fields["open"]
        self.members.become(fields)

    def replay(self, message: Message) -> None:
        """Apply a change of the members."""
        fields = message.fields
        if message.kind == "joined":
            self.members.add(fields["trainer"], fields["incarnation"], fields["session"])
        elif message.kind == "entered":
            self.members.present[fields["trainer"]].entry = fields["step"]
        elif message.kind == "left":
            self.members.remove(fields["trainer"], fields["died"])
        elif message.kind == "awaited no more":
            self.members.awaited.clear()

    def _do(self, kind: str, values: dict[str, Value] | None = None, **fields: int | str | bool | list[str]) -> None:
        message = Message(kind, fields, values or {})
        with self._journal.record(message, settled=kind not in self.unsettled):
            self.replay(message)

    @contextmanager
    def _change(self) -> Iterator[None]:
        """The lock for changes; it notifies threads that wait for one."""
        with self._changed:
            self._raise_failure()
            yield
            self._after_change()
            self._changed.notify_all()

    def _after_change(self) -> None:
        """Called after a change: it may end a round."""

    def _raise_failure(self) -> None:
        if self.failure is not None:
            raise Refused("failed", f"the server's update failed: {self.failure}")
