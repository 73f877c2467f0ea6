"""Arrivals: asynchronous training at one server. A push is applied when it arrives, and trainers never wait for others.

Nothing is applied twice: the pushes of a trainer are numbered by its steps, one push may cover several, and a step that
was applied is not taken again. A trainer that was declared dead joins again as the same incarnation and repeats its
last push, so nothing that it computed is lost either.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

from refluid.distributed.server.attendance import Attendance
from refluid.distributed.server.journal import Journal
from refluid.distributed.server.members import Members
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.wire import Message, Value


class Update(Protocol):
    """Applies what one trainer has sent; it locks for itself."""

    delays: bool  # whether it reads the parameters that trainers have seen

    def __call__(self, number: int, gradients: dict[str, Value]) -> None: ...

    def seen(self, number: int, names: list[str]) -> None: ...

    def reading(self, name: str) -> AbstractContextManager[Any]: ...


class Arrivals(Attendance):
    """Several pushes are applied at a time, those of one trainer one after the other."""

    kinds = (*Attendance.kinds, "arrived", "seen")

    def __init__(self, members: Members, update: Update, say: Callable[[str], None], journal: Journal | None = None):
        super().__init__(members, say, journal)
        self._update = update
        self._turns = [threading.Lock() for _ in range(members.trainers)]
        self._last: dict[int, tuple[int, int]] = {}  # trainer -> (incarnation, its last step)
        self._steps = [0] * members.trainers  # of all incarnations

    def push(self, number: int, session: str, step: int, gradients: dict[str, Value], first: int | None = None) -> None:
        """Apply the gradients of the steps `first` to `step`; a repeat returns when they are."""
        first = step if first is None else first
        incarnation = self._incarnation(number, session)
        with self._turns[number]:
            self._incarnation(number, session)  # another one may have come while this one waited
            applied = self._applied(number, incarnation)
            if step <= applied:
                return
            if not applied < first <= step:
                raise Refused("step", f"trainer {number} sends steps {first} to {step}, but {applied} is applied")
            try:
                self._do("arrived", gradients, trainer=number, incarnation=incarnation, first=first, step=step)
            except Exception as error:
                self.failure = error
                self._raise_failure()

    def wait(self, number: int, session: str, step: int) -> None:
        """Parameters can be read at any time."""
        self._incarnation(number, session)

    def seen(self, number: int, names: list[str]) -> None:
        if self._update.delays:
            self._do("seen", trainer=number, names=names)

    def reading(self, name: str) -> AbstractContextManager[Any]:
        return self._update.reading(name)

    def summary(self) -> str:
        return f"{sum(self._steps)} steps"

    def replay(self, message: Message) -> None:
        super().replay(message)
        if message.kind == "arrived":
            fields = message.fields
            self._update(fields["trainer"], message.values)
            self._last[fields["trainer"]] = fields["incarnation"], fields["step"]
            self._steps[fields["trainer"]] += fields["step"] - fields["first"] + 1

        elif message.kind == "seen":
            self._update.seen(message.fields["trainer"], message.fields["names"])

    def pieces(self) -> Iterator[Message]:
        yield from super().pieces()
        last = [[number, *told] for number, told in self._last.items()]
        yield Message("arrivals", {"last": last, "steps": self._steps})

    def restore(self, pieces: Iterator[Message]) -> None:
        super().restore(pieces)
        fields = next(pieces).fields
        self._last = {number: (incarnation, step) for number, incarnation, step in fields["last"]}
        self._steps = fields["steps"]

    def _incarnation(self, number: int, session: str) -> int:
        with self._changed:
            self._raise_failure()
            return self.members.of(number, session).incarnation

    def _applied(self, number: int, incarnation: int) -> int:
        """The last applied step of this incarnation of the trainer; -1 for none."""
        known, step = self._last.get(number, (incarnation, -1))
        return step if known == incarnation else -1
