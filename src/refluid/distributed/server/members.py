"""Who takes part at a server: trainers join, beat, and leave, by a word or by silence.

A trainer joins at all its servers before it enters at any: from the first word on a server ends no round (`Rounds`), so
the rounds that they tell are still the open ones when the trainer has chosen, from all of them, the one it enters at.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from refluid.distributed.server.deadlines import lease
from refluid.distributed.server.transport import Refused


@dataclass
class Member:
    """A trainer that has joined."""

    number: int
    incarnation: int  # which life of the trainer; chosen by itself, the same at all servers
    session: str  # what shows that a request is from it
    heard: float
    entry: int | None = None  # the first round that it takes part in; None: not told yet


class Members:
    """The trainers of one server. Not locked: `Rounds` is."""

    def __init__(self, trainers: int, patience: float):
        self.trainers = trainers
        self.present: dict[int, Member] = {}
        self.awaited = set(range(trainers))  # those that have never come
        self.died: list[int] = []
        self._patience = patience  # how long the first round waits for trainers that do not come
        self._waits_until: float | None = None

    def join(self, number: int, incarnation: int) -> tuple[Member, bool]:
        """The member, and whether it was there before: the same incarnation may ask again."""
        if not 0 <= number < self.trainers:
            raise Refused("number", f"trainer {number} is none of the {self.trainers} trainers of this job")
        now = time.monotonic()
        if self._waits_until is None:
            self._waits_until = now + self._patience
        known = self.present.get(number)
        if known is not None and known.incarnation == incarnation:
            known.heard = now
            return known, True
        self.awaited.discard(number)
        made = self.present[number] = Member(number, incarnation, secrets.token_hex(16), now)
        return made, False

    def of(self, number: int, session: str) -> Member:
        """The member that a request is from; it is heard thereby."""
        member = self.present.get(number)
        if member is None:
            raise Refused("expired", f"trainer {number} is no member: it has left, or was silent for {lease():g} s")
        if not secrets.compare_digest(member.session.encode(), session.encode()):
            raise Refused("displaced", f"another process has joined as trainer {number}")
        member.heard = time.monotonic()
        return member

    def leave(self, member: Member) -> None:
        self.present.pop(member.number, None)

    def refresh(self) -> None:
        """Count all as heard: while an update runs, nobody can be."""
        for member in self.present.values():
            member.heard = time.monotonic()

    def expire(self) -> list[str]:
        """Let go of those that are silent or have never come; returns what is to be said."""
        now, told = time.monotonic(), []
        for member in list(self.present.values()):
            if now - member.heard > lease():
                self.leave(member)
                self.died.append(member.number)
                told.append(f"trainer {member.number} is gone: not heard for {lease():g} s; the others go on")
        if self.awaited and self._waits_until is not None and now > self._waits_until:
            names = ", ".join(map(str, sorted(self.awaited)))
            told.append(f"trainer {names} has not come within {self._patience:g} s; the others begin")
            self.awaited.clear()
        return told

    def undecided(self) -> bool:
        """Whether a trainer is expected that has not told when it enters."""
        return bool(self.awaited) or any(member.entry is None for member in self.present.values())

    def expected(self, step: int) -> set[int]:
        return {m.number for m in self.present.values() if m.entry is not None and m.entry <= step}

    def next_entry(self) -> int | None:
        return min((m.entry for m in self.present.values() if m.entry is not None), default=None)

    def all_left(self) -> bool:
        """Whether there were trainers and all of them are gone."""
        return self._waits_until is not None and not self.present and not self.awaited
