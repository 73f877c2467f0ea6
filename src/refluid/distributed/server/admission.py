"""Admission to a server: trainers that know the job's token and belong to the same job."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator

from refluid.distributed.server.access import Challenges, proof, proves
from refluid.distributed.server.coordinator import Coordinator
from refluid.distributed.server.crash_points import crash_point
from refluid.distributed.server.fields import count_of, names_of, text_of
from refluid.distributed.server.journal import Journal
from refluid.distributed.server.service import Service
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.wire import Message
from refluid.tensor.scope import Scope


class Admission:
    """Answers hello and join. `boot` changes when a server has lost its memory; state folders keep it."""

    kinds = ("belongs",)

    def __init__(self, service: Service, coordinator: Coordinator, scope: Scope, journal: Journal):
        self._service, self._coordinator, self._scope, self._journal = service, coordinator, scope, journal
        self._boot = secrets.token_hex(8)
        self._job: str | None = None
        self._challenges = Challenges()
        self._greeted: dict[int, int] = {}  # trainer -> number of the hello that it has joined after
        self._lock = threading.Lock()

    def hello(self, message: Message) -> Message:
        number, ours = text_of(message, "number"), self._challenges.new()
        return Message("hello", {"number": ours, "boot": self._boot, "proof": proof("server", number, ours)})

    def join(self, message: Message) -> Message:
        trainer, incarnation = count_of(message, "trainer"), count_of(message, "incarnation")
        job, number = text_of(message, "job"), message.fields["number"]
        greeted = self._challenges.take(number)
        if greeted is None:
            raise Refused("challenge", "the challenge is not known (any more): say hello again")
        if not proves(message.fields["proof"], "trainer", number, str(trainer), str(incarnation), job):
            raise Refused("token", "REFLUID_JOB_TOKEN is not the one of this server")
        self._check_program(trainer, message)
        with self._lock:
            if self._job not in (None, job):
                raise Refused("job", "this server belongs to a job with other server endpoints")
            if greeted < self._greeted.get(trainer, 0):  # from an earlier incarnation, in transit when that was killed
                raise Refused("displaced", f"another process has joined as trainer {trainer} since this one said hello")
            self._greeted[trainer] = greeted
            member, open_round = self._coordinator.join(trainer, incarnation)
            if self._job is None:
                with self._journal.record(Message("belongs", {"job": job})):
                    self._job = job
        crash_point("inside_join")
        return Message("joined", {"session": member.session, "open": open_round, "mode": self._service.mode})

    def forgotten(self, message: Message) -> Message:
        """A trainer reports that it knows another incarnation of this server, and leaves."""
        trainer, number = count_of(message, "trainer"), message.fields["number"]
        if self._challenges.take(number) is None or not proves(
            message.fields["proof"], "trainer", number, str(trainer), "forgotten"
        ):
            raise Refused("challenge", "the challenge is not known (any more), or the token is another")
        self._coordinator.forgotten(trainer)
        return Message("heard")

    def _check_program(self, trainer: int, message: Message) -> None:
        """Refuse a trainer of another program, before it takes the place of one of this job."""
        trainers = message.fields.get("trainers")
        if trainers not in (None, self._service.trainers):
            told = (
                f"trainer {trainer} is one of {trainers} trainers, but this server waits for {self._service.trainers}"
            )
            raise Refused("trainers", f"{told}: all must be started with the same number of trainers")
        for name in names_of(message, "received"):
            if self._scope.find_var(name) is None:
                told = f"trainer {trainer} runs another program than this server, which has no variable {name[:80]}"
                raise Refused("program", told)

    def pieces(self) -> Iterator[Message]:
        yield Message("admission", {"boot": self._boot, "job": self._job})

    def restore(self, pieces: Iterator[Message]) -> None:
        fields = next(pieces).fields
        self._boot, self._job = fields["boot"], fields["job"]

    def replay(self, message: Message) -> None:
        self._job = message.fields["job"]
