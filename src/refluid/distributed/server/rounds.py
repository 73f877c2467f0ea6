"""Rounds: synchronous training at one server. Round n takes the gradients of step n of every member.

Nothing is applied twice: a push names its step, a step that is over is not taken again, and the answer to a push that
is repeated is what the server holds now, since no later round can have ended without this very trainer. Nothing that
was answered is lost: the answer leaves after the update.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext

from refluid.distributed.server.attendance import Attendance
from refluid.distributed.server.journal import Journal
from refluid.distributed.server.members import Members
from refluid.distributed.server.transport import Refused, is_waited_for
from refluid.distributed.server.wire import Message, Value

Gradients = dict[str, Value]
Update = Callable[[dict[int, Gradients]], None]


class Rounds(Attendance):
    """`update` takes the gradients of those that have arrived, by trainer, and changes the parameters.

    `open` is the round that gradients are taken for; it stays open until all that have joined have entered.
    """

    kinds = (*Attendance.kinds, "pushed", "ended", "skipped")
    unsettled = ("pushed",)

    def __init__(self, members: Members, update: Update, say: Callable[[str], None], journal: Journal | None = None):
        super().__init__(members, say, journal)
        self._update = update
        self._slots: dict[int, Gradients] = {}

    def push(self, number: int, session: str, step: int, gradients: Gradients, first: int | None = None) -> None:
        """Push the gradients of a step; returns when its round is over. A round is one step, so there is no `first`.

        A trainer that has just entered may be early: its first round is the one after those under way.
        """
        with self._changed:
            early = self.members.of(number, session).entry == step
        if early:
            self.wait(number, session, step)
        with self._change():
            member = self.members.of(number, session)
            if member.entry is None or step < member.entry or step > self.open:
                reason = f"it entered at {member.entry}, and {self.open} is open"
                raise Refused("step", f"trainer {number} sends step {step}, but {reason}")
            if step == self.open:
                self._do("pushed", gradients, trainer=number, step=step)
        self.wait(number, session, step + 1)

    def wait(self, number: int, session: str, step: int) -> None:
        """Return when round `step` is the open one: all before it are over."""
        with self._changed:
            while self.open < step:
                self._raise_failure()
                self._still_a_member(number, session)
                if not is_waited_for():
                    raise Refused("gone", f"trainer {number} does not wait for the answer any more")
                self._changed.wait(1.0)

    def reading(self, name: str) -> nullcontext[None]:
        """Nobody reads during an update: trainers wait for the round to end."""
        return nullcontext()

    def summary(self) -> str:
        return f"{self.open} steps"

    def pieces(self) -> Iterator[Message]:
        yield from super().pieces()
        for number, gradients in self._slots.items():
            yield Message("slot", {"trainer": number}, gradients)

    def restore(self, pieces: Iterator[Message]) -> None:
        super().restore(pieces)
        self._slots = {piece.fields["trainer"]: piece.values for piece in pieces}

    def replay(self, message: Message) -> None:
        super().replay(message)
        if message.kind == "joined":
            self._slots.pop(message.fields["trainer"], None)  # of an earlier incarnation, which was not answered
        elif message.kind == "pushed":
            self._slots[message.fields["trainer"]] = message.values
        elif message.kind == "ended":
            arrived, self._slots = self._slots, {}
            self._update(arrived)
            self.open += 1
        elif message.kind == "skipped":
            self.open = message.fields["to"]

    def _after_change(self) -> None:
        """Every change of members or slots may end the round."""
        members = self.members
        while self.failure is None and not members.undecided():
            expected = members.expected(self.open)
            if self._slots:
                if expected <= set(self._slots):
                    self._end_round()
                    continue
            elif not expected and (entry := members.next_entry()) is not None:
                self._do("skipped", to=entry)  # no member is left for the rounds before
            return

    def _end_round(self) -> None:
        try:
            self._do("ended", step=self.open)
        except Exception as error:
            self.failure = error
            return
        self.members.refresh()

    def _still_a_member(self, number: int, session: str) -> None:
        member = self.members.present.get(number)
        if member is None or member.session != session:
            self.members.of(number, session)
