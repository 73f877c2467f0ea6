"""The journal of a server that has a state folder."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from refluid.distributed.server.journal import Journal, Kept
from refluid.distributed.server.service import Service
from refluid.distributed.server.state.errors import StateDamaged
from refluid.distributed.server.state.folder import ENVIRONMENT, StateFolder
from refluid.distributed.server.wire import Message, Part, decode, parts_of, size_of

_LEAST_LOG = 16 << 20  # bytes of records before a new snapshot pays
_LOG_TO_SNAPSHOT = 8  # and how much larger than a snapshot the log may become: then snapshots cost an eighth of the log


def journal_of(service: Service, say: Callable[[str], None]) -> Journal:
    """The journal that the environment asks for."""
    root = os.environ.get(ENVIRONMENT)
    if not root:
        return Journal()
    return StateJournal(StateFolder(root, fingerprint(service), service.endpoint), say)


def fingerprint(service: Service) -> str:
    """The same for a server that is restarted with the same command."""
    told = f"{service.endpoint}\n{service.trainers}\n{service.mode}\n{service.program.to_string()}"
    return hashlib.sha256(told.encode()).hexdigest()


def most_records() -> int:
    """How many records a log may have: each is read and applied again after a restart."""
    return int(os.environ.get("REFLUID_PSERVER_STATE_RECORDS") or 5000)


class StateJournal(Journal):
    """Records go to the log of a state folder, which is truncated when a snapshot of all parts is written."""

    def __init__(self, folder: StateFolder, say: Callable[[str], None]):
        self._folder, self._say = folder, say
        self._parts: dict[str, Kept] = {}
        self._replay: dict[str, Callable[[Message], None]] = {}
        self._quiet = threading.Condition()
        self._changes = 0  # under way
        self._pausing = False  # no change may begin: a snapshot is pending
        self._snapshot_bytes = 0

    def keep(self, name: str, part: Kept, kinds: Iterable[str] = ()) -> None:
        self._parts[name] = part
        self._replay.update(dict.fromkeys(kinds, part.replay))

    def begin(self) -> None:
        if not self._folder.has_snapshot:
            self._write_snapshot()
            return
        self._restore()
        records = 0
        for data in self._folder.log():
            message = decode(data)
            self._replay[message.kind](message)
            records += 1
        self._say(f"goes on from its state folder: a snapshot and {records} records")

    @contextmanager
    def record(self, message: Message, settled: bool = True) -> Iterator[None]:
        parts = parts_of(message)
        with self._quiet:
            self._quiet.wait_for(lambda: not self._pausing)
            self._folder.append(*parts)
            self._changes += 1
        try:
            yield
        finally:
            with self._quiet:
                self._changes -= 1
                self._quiet.notify_all()
        if settled:
            self._snapshot_if_due()

    def finish(self) -> None:
        self._folder.finish()

    def close(self) -> None:
        self._folder.close()

    def _snapshot_if_due(self) -> None:
        with self._quiet:
            if self._pausing or not self._due():
                return
            self._pausing = True
            try:
                self._quiet.wait_for(lambda: not self._changes)
                self._write_snapshot()
            finally:
                self._pausing = False
                self._quiet.notify_all()

    def _due(self) -> bool:
        folder = self._folder
        most = max(_LEAST_LOG, _LOG_TO_SNAPSHOT * self._snapshot_bytes)
        return folder.log_bytes > most or folder.log_records >= most_records()

    def _write_snapshot(self) -> None:
        self._snapshot_bytes = 0
        self._folder.write_snapshot(self._pieces())

    def _pieces(self) -> Iterator[tuple[str, Sequence[Part]]]:
        for name, part in self._parts.items():
            for piece in part.pieces():
                parts = parts_of(piece)
                self._snapshot_bytes += size_of(parts)
                yield name, parts

    def _restore(self) -> None:
        """Pass every part its pieces, which are contiguous and in the order of the parts."""
        pieces = _Ahead(self._folder.snapshot())
        for name, part in self._parts.items():
            part.restore(self._of(name, pieces))
        if pieces.next is not None:
            raise StateDamaged(f"{self._folder.path}: the snapshot has {pieces.next[0]}, which this server has not")

    def _of(self, name: str, pieces: _Ahead) -> Iterator[Message]:
        while pieces.next is not None and pieces.next[0] == name:
            data = pieces.take()
            self._snapshot_bytes += len(data)
            yield decode(data)


class _Ahead:
    """An iterator of pieces with one piece of look-ahead."""

    def __init__(self, pieces: Iterator[tuple[str, bytes]]):
        self._rest = pieces
        self.next = next(pieces, None)

    def take(self) -> bytes:
        assert self.next is not None
        data, self.next = self.next[1], next(self._rest, None)
        return data
