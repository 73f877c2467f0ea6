"""Rounds: synchronous training at one server. Round n takes the gradients of step n of every trainer that is there.

Nothing is applied twice: a push names its step, a step that is over is not taken again, and the answer to a push that
is repeated is what the server holds now, since no later round can have ended without this very trainer. Nothing that
was answered is lost: the answer leaves after the update.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from refluid.distributed.server.members import Member, Members
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.wire import Value

Gradients = dict[str, Value]
Update = Callable[[dict[int, Gradients]], None]


class Rounds:
    """`update` takes the gradients of those that have arrived, by trainer, and changes the parameters."""

    def __init__(self, members: Members, update: Update, say: Callable[[str], None]):
        self.members = members
        self.open = 0  # the round that gradients are taken for
        self.failure: Exception | None = None
        self._update, self._say = update, say
        self._slots: dict[int, Gradients] = {}
        self._changed = threading.Condition()

    def join(self, number: int, incarnation: int) -> tuple[Member, int]:
        """A trainer comes, perhaps again; returns it and the open round, which stays open until it has entered."""
        with self._change():
            member, known = self.members.join(number, incarnation)
            if not known:
                self._slots.pop(number, None)  # of an earlier life, which was not answered
                self._say(f"trainer {number} has joined")
            return member, self.open

    def enter(self, number: int, session: str, step: int) -> None:
        """The trainer takes part from round `step` on."""
        with self._change():
            member = self.members.of(number, session)
            if member.entry is None:
                if step < self.open:
                    raise Refused("late", f"trainer {number} enters at step {step}, but step {self.open} is open")
                member.entry = step

    def beat(self, number: int, session: str) -> None:
        with self._changed:
            self.members.of(number, session)

    def leave(self, number: int, session: str) -> None:
        with self._change():
            self.members.leave(self.members.of(number, session))
            self._say(f"trainer {number} has left")

    def push(self, number: int, session: str, step: int, gradients: Gradients) -> None:
        """Hand in the gradients of a step; returns when its round is over.

        A trainer that has just entered may be early: its first round is the one after those under way.
        """
        with self._changed:
            early = self.members.of(number, session).entry == step
        if early:
            self.wait(number, session, step)
        with self._change():
            member = self.members.of(number, session)
            if member.entry is None or step < member.entry or step > self.open:
                at = f"it entered at {member.entry}, and {self.open} is open"
                raise Refused("step", f"trainer {number} sends step {step}, but {at}")
            if step == self.open:
                self._slots[number] = gradients
        self.wait(number, session, step + 1)

    def wait(self, number: int, session: str, step: int) -> None:
        """Return when round `step` is the open one: all before it are over."""
        with self._changed:
            while self.open < step:
                self._raise_failure()
                self._still_a_member(number, session)
                self._changed.wait(1.0)

    def expire(self) -> bool:
        """Let go of those that are silent; whether all trainers have left."""
        with self._change():
            for line in self.members.expire():
                self._say(line)
            return self.members.all_left() or self.failure is not None

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Whatever changes members or slots may end the round."""
        with self._changed:
            self._raise_failure()
            yield
            self._end_rounds()
            self._changed.notify_all()

    def _end_rounds(self) -> None:
        members = self.members
        while self.failure is None and not members.undecided():
            expected = members.expected(self.open)
            if self._slots:
                if expected <= set(self._slots):
                    self._end_round()
                    continue
            elif not expected and (entry := members.next_entry()) is not None:
                self.open = entry  # nobody is there for the rounds before
            return

    def _end_round(self) -> None:
        arrived, self._slots = self._slots, {}
        try:
            self._update(arrived)
        except Exception as error:
            self.failure = error
            return
        self.members.refresh()
        self.open += 1

    def _raise_failure(self) -> None:
        if self.failure is not None:
            raise Refused("failed", f"the server's update failed: {self.failure}")

    def _still_a_member(self, number: int, session: str) -> None:
        member = self.members.present.get(number)
        if member is None or member.session != session:
            self.members.of(number, session)
