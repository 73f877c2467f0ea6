"""A server as a trainer sees it: a connection, a session, and a thread that sends heartbeats."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Mapping

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.access import proof, proves
from refluid.distributed.server.deadlines import beat, gone
from refluid.distributed.server.job_facts import About
from refluid.distributed.server.transport import Connection, Refused, Unreachable
from refluid.distributed.server.wire import Message, Value
from refluid.distributed.transpile.config import DistributedMode


class Peer:
    """One server of a trainer. Heartbeats have a connection of their own: they must not wait behind a large message."""

    def __init__(self, endpoint: str, trainer: int):
        self.endpoint, self.trainer = endpoint, trainer
        self.session = ""
        self.mode = DistributedMode.SYNC
        self._boot: str | None = None
        self._number = ""
        self._connection = Connection(endpoint)
        self._beats = Connection(endpoint)
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def hello(self, seconds: float) -> None:
        """Connect to the server, which may be started later than the trainer, and check that it belongs to this job."""
        ours = secrets.token_hex(16)
        fields = self._call("hello", seconds, 5.0, number=ours).fields
        self._number = str(fields["number"])
        if not proves(fields["proof"], "server", ours, self._number):
            raise EnforceNotMet(
                f"the server at {self.endpoint} has another REFLUID_JOB_TOKEN than trainer {self.trainer}"
            )
        boot = str(fields["boot"])
        if self._boot not in (None, boot):
            self._tell_forgotten()
            raise EnforceNotMet(
                f"the server at {self.endpoint} was restarted and has lost its parameters; start the trainers again too"
            )
        self._boot = boot

    def _tell_forgotten(self) -> None:
        """Let a server that has lost its memory know that it must not wait for this trainer."""
        proven = proof("trainer", self._number, str(self.trainer), "forgotten")
        with contextlib.suppress(Unreachable, Refused):
            self._call("forgotten", 0, 5.0, trainer=self.trainer, number=self._number, proof=proven)

    def join(self, incarnation: int, job: str, about: About) -> int:
        """Become a member; returns the round that is open at this server."""
        end = time.monotonic() + gone()
        while True:
            try:
                answer = self._join(incarnation, job, about)
                break
            except Refused as error:  # the first answer was lost: the challenge is used up
                if error.code != "challenge" or time.monotonic() > end:
                    raise
                self.hello(gone())
        self.session, self.mode = str(answer.fields["session"]), int(answer.fields["mode"])
        if self._thread is None:
            self._thread = threading.Thread(target=self._beat, name=f"beat {self.endpoint}", daemon=True)
            self._thread.start()
        return int(answer.fields["open"])

    def _join(self, incarnation: int, job: str, about: About) -> Message:
        number = self._number
        who = proof("trainer", number, str(self.trainer), str(incarnation), job)
        return self._call(
            "join", gone(), None, trainer=self.trainer, incarnation=incarnation, job=job, number=number, proof=who,
            trainers=about.trainers, received=about.received.get(self.endpoint, []),
        )  # fmt: skip

    def enter(self, step: int) -> None:
        self.ask("enter", step=step)

    def push(self, steps: range, gradients: dict[str, Value], wanted: list[str]) -> dict[str, Value]:
        """Push the summed gradients of these steps; returns the parameters when they are applied."""
        first = {"first": steps[0]} if len(steps) > 1 else {}
        return self.ask("push", gradients, step=steps[-1], wanted=wanted, **first).values

    def pull(self, step: int, wanted: list[str]) -> dict[str, Value]:
        """Parameters, when all rounds before `step` are over."""
        return self.ask("pull", step=step, wanted=wanted).values

    def leave(self, seconds: float) -> None:
        """Leave a server that may be gone already."""
        self._stopped.set()
        try:
            if self.session:
                self._call("leave", 0, seconds, trainer=self.trainer, session=self.session)
        except (Unreachable, Refused):
            pass
        self._connection.close()
        self._beats.close()

    def ask(self, kind: str, values: Mapping[str, Value] | None = None, **fields: object) -> Message:
        """A request of this member."""
        return self._call(kind, gone(), None, values, trainer=self.trainer, session=self.session, **fields)

    def _call(
        self,
        kind: str,
        seconds: float,
        attempt: float | None,
        values: Mapping[str, Value] | None = None,
        **fields: object,
    ) -> Message:
        return self._connection.call(Message(kind, fields, dict(values or {})), seconds, attempt)

    def _beat(self) -> None:
        while not self._stopped.wait(beat()):
            try:
                self._beats.call(Message("beat", {"trainer": self.trainer, "session": self.session}), 0, 2 * beat())
            except (Unreachable, Refused):
                pass  # the next exchange reports it
