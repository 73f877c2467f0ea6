"""Requests of geo training: the rows of a parameter that have changed since a trainer's last request."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING

import torch

from refluid.distributed.server.transport import Refused
from refluid.distributed.server.update import held
from refluid.distributed.server.wire import Message, Value
from refluid.tensor.selected_rows import SelectedRows

if TYPE_CHECKING:
    from refluid.distributed.server.serve import Server


class Changes:
    """Counts the updates of sparse parameters, and records the last one of every row.

    A version is this incarnation of the server and a count; one of an earlier incarnation gets all rows.
    """

    def __init__(self) -> None:
        self._life = secrets.token_hex(4)
        self._count: dict[str, int] = {}
        self._last: dict[str, torch.Tensor] = {}
        self._lock = threading.Lock()

    def note(self, name: str, whole: torch.Tensor, index: torch.Tensor) -> None:
        """Rows of a parameter were updated; the parameter is locked."""
        last = self._last.get(name)
        if last is None:
            last = self._last[name] = torch.zeros(whole.shape[0], dtype=torch.int64)
        self._count[name] = self._count.get(name, 0) + 1
        last[index] = self._count[name]

    def since(self, name: str, version: str, whole: torch.Tensor) -> tuple[str, Value]:
        """The version now and the rows since then, or all of them; the parameter is locked."""
        life, _, count = version.partition(":")
        now = f"{self._life}:{self._count.get(name, 0)}"
        if life != self._life or not count.isdigit():
            return now, whole.clone()
        last = self._last.get(name)
        index = torch.empty(0, dtype=torch.int64) if last is None else (last > int(count)).nonzero().view(-1)
        return now, SelectedRows.of(index, whole[index], whole.shape[0])


def register(server: Server) -> None:
    changes = server.update.changes
    if changes is None:
        return

    def answer(message: Message) -> Message:
        asked = message.fields["since"]
        if not isinstance(asked, dict) or not all(isinstance(version, str) for version in asked.values()):
            raise Refused("wire", "since of a request 'changes' must be versions by name")
        versions, values = {}, {}
        for name, version in asked.items():
            with server.coordinator.reading(name):
                whole = held(server.scope, name)
                if not isinstance(whole, torch.Tensor):
                    raise Refused("variable", f"{name} is no tensor")
                versions[name], values[name] = changes.since(name, version, whole)
        return Message("changes", {"versions": versions}, values)

    server.answer("changes", answer)
