"""The members of a server: trainers join, send heartbeats, and leave, by a request or when their lease expires.

A trainer joins at all its servers before it enters at any: from then on a server ends no round (`Rounds`), so
the open rounds that they return are still open when the trainer has chosen, from all of them, the one it enters at.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import Any

from refluid.distributed.server.deadlines import lease
from refluid.distributed.server.transport import Refused


@dataclass
class Member:
    """A trainer that has joined."""

    number: int
    incarnation: int  # incarnation of the trainer; chosen by itself, the same at all servers
    session: str  # authenticates its requests
    heard: float
    entry: int | None = None  # the first round that it takes part in; None: not told yet


class Members:
    """The trainers of one server. Not locked: `Attendance` is."""

    def __init__(self, trainers: int, patience: float):
        self.trainers = trainers
        self.present: dict[int, Member] = {}
        self.awaited = set(range(trainers))  # those that have never joined
        self.died: list[int] = []
        self._patience = patience  # how long the first round waits for trainers that do not join
        self._waits_until: float | None = None
        self._emptied: float | None = None  # when the last lease expired

    def known(self, number: int, incarnation: int) -> Member | None:
        """The member of this incarnation, which may repeat a request; its lease is renewed."""
        if not 0 <= number < self.trainers:
            raise Refused("number", f"trainer {number} is none of the {self.trainers} trainers of this job")
        member = self.present.get(number)
        if member is None or member.incarnation != incarnation:
            return None
        member.heard = time.monotonic()
        return member

    def add(self, number: int, incarnation: int, session: str) -> None:
        """A trainer joins, in place of its earlier incarnation."""
        self.begin()
        self.awaited.discard(number)
        self.present[number] = Member(number, incarnation, session, time.monotonic())
        self._emptied = None

    @property
    def began(self) -> bool:
        return self._waits_until is not None

    def begin(self) -> None:
        """From now on trainers are waited for, those of the first round for as long as patience lasts."""
        if self._waits_until is None:
            self._waits_until = time.monotonic() + self._patience

    def fields(self) -> dict[str, Any]:
        """The state to restore after a server was killed."""
        present = [[m.number, m.incarnation, m.session, m.entry] for m in self.present.values()]
        return {"present": present, "awaited": sorted(self.awaited), "died": self.died, "began": self.began}

    def become(self, fields: dict[str, Any]) -> None:
        """Restore the state from `fields`; all leases are renewed."""
        now = time.monotonic()
        self.present = {
            number: Member(number, incarnation, session, now, entry)
            for number, incarnation, session, entry in fields["present"]
        }
        self.awaited, self.died = set(fields["awaited"]), list(fields["died"])
        self._waits_until = now + self._patience if fields["began"] else None

    def of(self, number: int, session: str) -> Member:
        """The member that a request is from; its lease is renewed."""
        member = self.present.get(number)
        if member is None:
            raise Refused("expired", f"trainer {number} is no member: it has left, or was silent for {lease():g} s")
        if not secrets.compare_digest(member.session.encode(), session.encode()):
            raise Refused("displaced", f"another process has joined as trainer {number}")
        member.heard = time.monotonic()
        return member

    def remove(self, number: int, died: bool) -> None:
        self.present.pop(number, None)
        if died:
            self.died.append(number)
            if not self.present:
                self._emptied = time.monotonic()

    def refresh(self) -> None:
        """Renew all leases: while an update runs, no request is answered."""
        for member in self.present.values():
            member.heard = time.monotonic()

    def silent(self) -> list[int]:
        """Members whose leases have expired."""
        now = time.monotonic()
        return [member.number for member in self.present.values() if now - member.heard > lease()]

    def late(self) -> list[int]:
        """Trainers that the first step waits for no longer."""
        waited = self._waits_until is not None and time.monotonic() > self._waits_until
        return sorted(self.awaited) if waited else []

    def undecided(self) -> bool:
        """Whether a trainer has joined but not entered yet."""
        return bool(self.awaited) or any(member.entry is None for member in self.present.values())

    def expected(self, step: int) -> set[int]:
        return {m.number for m in self.present.values() if m.entry is not None and m.entry <= step}

    def next_entry(self) -> int | None:
        return min((m.entry for m in self.present.values() if m.entry is not None), default=None)

    def all_left(self) -> bool:
        """Whether there were trainers and all of them are gone.

        The last that expired may be restarted, or be slow: the server waits one more lease for it.
        """
        if self.present or self.awaited or not self.began:
            return False
        return self._emptied is None or time.monotonic() - self._emptied > lease()
