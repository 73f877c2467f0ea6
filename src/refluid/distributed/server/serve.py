"""A parameter server: answers trainers until all of them have left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server import changes, rows, saving
from refluid.distributed.server.admission import Admission
from refluid.distributed.server.arrivals import Arrivals
from refluid.distributed.server.blockwise import BlockwiseUpdate
from refluid.distributed.server.coordinator import Coordinator
from refluid.distributed.server.fields import count_of, member_of, names_of
from refluid.distributed.server.journal import Journal
from refluid.distributed.server.members import Members
from refluid.distributed.server.rounds import Rounds
from refluid.distributed.server.service import Service
from refluid.distributed.server.state.journal import journal_of
from refluid.distributed.server.state.kept_tables import KeptTables
from refluid.distributed.server.state.variables import Variables
from refluid.distributed.server.tables import Tables
from refluid.distributed.server.transport import Listener, Refused
from refluid.distributed.server.update import BlocksUpdate, bytes_of, held
from refluid.distributed.server.wire import Message
from refluid.distributed.transpile.config import DistributedMode
from refluid.distributed.world import patience
from refluid.ir.operator import Operator
from refluid.tensor.scope import Scope

_SPARE_BYTES = 64 << 20  # bytes of a message beyond the variables of the program
_LOOK = 0.25  # seconds between two checks of the leases


class Server:
    """Handles the requests of trainers. `answer` adds further kinds of requests; modules of `REGISTER` do."""

    def __init__(
        self,
        service: Service,
        coordinator: Coordinator,
        update: BlocksUpdate | BlockwiseUpdate,
        scope: Scope,
        journal: Journal,
    ):
        self.service, self.coordinator, self.update, self.scope = service, coordinator, update, scope
        self.tables = Tables(service.program, scope)
        self.journal = journal
        admission = Admission(service, coordinator, scope, journal)
        journal.keep("admission", admission, admission.kinds)
        journal.keep("coordinator", coordinator, coordinator.kinds)
        journal.keep("variables", Variables(scope))
        journal.keep("tables", KeptTables(self.tables))
        self._kinds: dict[str, Callable[[Message], Message]] = {
            "hello": admission.hello, "join": admission.join, "forgotten": admission.forgotten,
            "enter": self._enter, "beat": self._beat, "leave": self._leave, "push": self._push, "pull": self._pull,
        }  # fmt: skip
        for register in REGISTER:
            register(self)

    def answer(self, kind: str, handler: Callable[[Message], Message]) -> None:
        """Let `handler` answer requests of this kind, those of members only; it reads other fields by fields.py."""

        def of_a_member(message: Message) -> Message:
            self.coordinator.beat(*member_of(message))
            return handler(message)

        assert kind not in self._kinds, kind
        self._kinds[kind] = of_a_member

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

    def _enter(self, message: Message) -> Message:
        self.coordinator.enter(*member_of(message), count_of(message, "step"))
        return Message("entered")

    def _beat(self, message: Message) -> Message:
        self.coordinator.beat(*member_of(message))
        return Message("heard")

    def _leave(self, message: Message) -> Message:
        self.coordinator.leave(*member_of(message))
        return Message("left")

    def _push(self, message: Message) -> Message:
        member, step = member_of(message), count_of(message, "step")
        wanted = names_of(message, "wanted")
        first = message.fields.get("first")  # of several steps in one push
        number, session = member
        gradients = self.update.taken(number, message.values)
        if first is None:
            self.coordinator.push(number, session, step, gradients)
        else:
            self.coordinator.push(number, session, step, gradients, count_of(message, "first"))
        return self._values(number, wanted)

    def _pull(self, message: Message) -> Message:
        member = member_of(message)
        self.coordinator.wait(*member, count_of(message, "step"))
        return self._values(member[0], names_of(message, "wanted"))

    def _values(self, number: int, names: list[str]) -> Message:
        self.coordinator.seen(number, names)
        return Message("values", {}, {name: held(self.scope, name) for name in names})


# `register(server)` of the files that answer further requests: each is imported here, and calls `Server.answer`.
REGISTER: list[Callable[[Server], None]] = [saving.register, rows.register, changes.register]


def serve(operator: Operator, scope: Scope) -> None:
    """Answer trainers as a listen_and_serv says, until all have left; raises what an update raised."""
    service = Service.of(operator)

    def say(line: str) -> None:
        # One write, end of line included: the lines of servers in one process are not interleaved.
        sys.stderr.write(f"{time.strftime('%H:%M:%S')} server {service.endpoint}: {line}\n")
        sys.stderr.flush()

    journal, members = journal_of(service, say), Members(service.trainers, patience())
    update: BlocksUpdate | BlockwiseUpdate
    coordinator: Coordinator
    try:
        if service.mode == DistributedMode.SYNC:
            update = BlocksUpdate(service, scope)
            coordinator = Rounds(members, update, say, journal)
        else:
            update = BlockwiseUpdate(service, scope)
            coordinator = Arrivals(members, update, say, journal)
        server = Server(service, coordinator, update, scope, journal)
        journal.begin()
        _listen(server, say)
        if coordinator.failure is not None:
            raise coordinator.failure
    except BaseException:
        journal.close()
        raise
    journal.finish()
    died = ", ".join(map(str, sorted(set(coordinator.members.died))))
    say(f"all trainers have left after {coordinator.summary()}" + (f"; died: {died}" if died else ""))


def _listen(server: Server, say: Callable[[str], None]) -> None:
    """Answer until the coordinator has finished."""
    service, coordinator = server.service, server.coordinator
    most_bytes = bytes_of(service.program) + _SPARE_BYTES
    listener = Listener(
        service.endpoint, server.handle, coordinator.members.of, 4 * service.trainers + 16, most_bytes, say
    )
    say(f"listens for {service.trainers} trainers")
    coordinator.members.refresh()  # leases of the members from before the kill
    try:
        while not coordinator.expire():
            time.sleep(_LOOK)
    finally:
        listener.close()
