"""A parameter server: answers trainers until all of them have left."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Callable
from typing import Any

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.access import Challenges, proof, proves
from refluid.distributed.server.members import Members
from refluid.distributed.server.rounds import Rounds
from refluid.distributed.server.transport import Listener, Refused
from refluid.distributed.server.update import BlocksUpdate, bytes_of, held
from refluid.distributed.server.wire import Message
from refluid.distributed.world import patience
from refluid.ir.program import Program
from refluid.tensor.scope import Scope

_SPARE_BYTES = 64 << 20  # what a message may have beyond the variables of the program
_LOOK = 0.25  # seconds between two looks at who is there


class Server:
    """Handles the requests of trainers."""

    def __init__(self, endpoint: str, rounds: Rounds, update: BlocksUpdate, scope: Scope):
        self.rounds, self._update, self._scope = rounds, update, scope
        self._endpoint = endpoint
        self._boot = secrets.token_hex(8)  # another one after a restart
        self._challenges = Challenges()
        self._job: str | None = None
        self._kinds: dict[str, Callable[[Message], Message]] = {
            "hello": self._hello, "join": self._join, "enter": self._enter, "beat": self._beat, "leave": self._leave,
            "push": self._push, "pull": self._pull,
        }  # fmt: skip

    def handle(self, message: Message) -> Message:
        kind = self._kinds.get(message.kind)
        if kind is None:
            raise Refused("wire", f"there is no request {message.kind[:40]!r}")
        try:
            return kind(message)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, EnforceNotMet):
                raise
            raise Refused("wire", f"a request {message.kind!r} with wrong fields: {error!r}"[:300]) from None

    def _hello(self, message: Message) -> Message:
        number, ours = _text(message, "number"), self._challenges.new()
        return Message("hello", {"number": ours, "boot": self._boot, "proof": proof("server", number, ours)})

    def _join(self, message: Message) -> Message:
        fields = message.fields
        trainer, incarnation, job = _count(message, "trainer"), _count(message, "incarnation"), _text(message, "job")
        number = fields["number"]
        if not self._challenges.take(number):
            raise Refused("challenge", "the challenge is not known (any more): say hello again")
        if not proves(fields["proof"], "trainer", number, str(trainer), str(incarnation), job):
            raise Refused("token", "REFLUID_JOB_TOKEN is not the one of this server")
        if self._job not in (None, job):
            raise Refused("job", "this server belongs to a job with other server endpoints")
        member, open_round = self.rounds.join(trainer, incarnation)
        self._job = job
        return Message("joined", {"session": member.session, "open": open_round})

    def _enter(self, message: Message) -> Message:
        self.rounds.enter(*_member(message), _count(message, "step"))
        return Message("entered")

    def _beat(self, message: Message) -> Message:
        self.rounds.beat(*_member(message))
        return Message("heard")

    def _leave(self, message: Message) -> Message:
        self.rounds.leave(*_member(message))
        return Message("left")

    def _push(self, message: Message) -> Message:
        member, step = _member(message), _count(message, "step")
        wanted = _wanted(message)
        self._update.check(_count(message, "trainer"), message.values)
        self.rounds.push(*member, step, message.values)
        return self._values(wanted)

    def _pull(self, message: Message) -> Message:
        self.rounds.wait(*_member(message), _count(message, "step"))
        return self._values(_wanted(message))

    def _values(self, names: list[str]) -> Message:
        return Message("values", {}, {name: held(self._scope, name) for name in names})


def serve(program: Program, endpoint: str, trainers: int, block_numbers: list[int], scope: Scope) -> None:
    """Answer trainers at `endpoint` until all have left; raises what an update raised."""

    def say(line: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} server {endpoint}: {line}", file=sys.stderr, flush=True)

    update = BlocksUpdate(program, block_numbers, trainers, scope)
    rounds = Rounds(Members(trainers, patience()), update, say)
    server = Server(endpoint, rounds, update, scope)
    listener = Listener(endpoint, server.handle, 4 * trainers + 16, bytes_of(program) + _SPARE_BYTES, say)
    say(f"listens for {trainers} trainers")
    try:
        while not rounds.expire():
            time.sleep(_LOOK)
    finally:
        listener.close()
    if rounds.failure is not None:
        raise rounds.failure
    died = sorted(set(rounds.members.died))
    say(f"all trainers have left after {rounds.open} steps" + (f"; died: {', '.join(map(str, died))}" if died else ""))


def _member(message: Message) -> tuple[int, str]:
    return _count(message, "trainer"), _text(message, "session")


def _count(message: Message, name: str) -> int:
    return _of(message, name, int)


def _text(message: Message, name: str) -> str:
    return _of(message, name, str)


def _of(message: Message, name: str, kind: type) -> Any:
    value = message.fields[name]
    if type(value) is not kind:
        raise Refused("wire", f"{name} of a request {message.kind!r} must be {kind.__name__}")
    return value


def _wanted(message: Message) -> list[str]:
    names = message.fields["wanted"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Refused("wire", f"wanted of a request {message.kind!r} must be names")
    return names
