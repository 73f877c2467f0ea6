"""The state folder of a server: a snapshot, and a log of the changes since."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from refluid.distributed.server.crash_points import crash_point
from refluid.distributed.server.state import place
from refluid.distributed.server.state.errors import StateDamaged, StateRefused
from refluid.distributed.server.state.store import Store
from refluid.distributed.server.wire import Part

ENVIRONMENT = "REFLUID_PSERVER_STATE_DIR"
SYNC = "REFLUID_PSERVER_STATE_SYNC"
_VERSION = 1
# Keys. The head says whose state this is and which snapshot counts; a record of the log goes with its snapshot.
_HEAD = b"head"
_PIECE, _RECORD = b"p", b"r"
_NUMBERS = struct.Struct(">cQQ")  # kind, snapshot, number of the piece or record: LMDB sorts by bytes


class StateFolder:
    """The durable state of a server.

    The life of a server:

        state = StateFolder(root, fingerprint, endpoint)
        if state.has_snapshot:
            for name, data in state.snapshot(): ...   # parameters, optimizer states, members as they were
            for data in state.log(): ...              # apply again, in order, what was merged since
        else:
            state.write_snapshot(pieces)              # what the startup program made
        in every round:
            state.append(*parts)                      # the merged gradients and whose they are, before the answer
            if state.log_bytes > limit:               # and no round is half applied
                state.write_snapshot(pieces)
        when all trainers have left:
            state.finish()

    Data are bytes, passed in parts as `wire.parts_of` makes them; they come back unchanged in one piece, or not
    at all. What `append` or `write_snapshot` has taken survives a kill of this process from the moment it returns; with
    `sync` also a power failure, at the cost of an fsync for every record. One thread at a time.

    Args:
        root: the folder that REFLUID_PSERVER_STATE_DIR names; several servers may share it.
        fingerprint: of the job. Unfinished state of another job at this endpoint raises StateRefused.
        endpoint: of this server.
        sync: None takes what REFLUID_PSERVER_STATE_SYNC says, which is 0 where nobody sets it.
    """

    def __init__(self, root: str, fingerprint: str, endpoint: str, *, sync: bool | None = None):
        if sync is None:
            sync = os.environ.get(SYNC, "") not in ("", "0")
        self.path, self._lock = place.claim(root, fingerprint, endpoint)
        try:
            self._store = Store(self.path, sync)
            self._head = self._read_head(fingerprint, endpoint)
            self._sweep()
        except BaseException:
            os.close(self._lock)
            raise

    @property
    def has_snapshot(self) -> bool:
        return self._head["snapshot"] > 0

    @property
    def log_bytes(self) -> int:
        """The size of the log since the snapshot, which a restart has to read."""
        return self._log_bytes

    @property
    def log_records(self) -> int:
        return self._records

    def snapshot(self) -> Iterator[tuple[str, bytes]]:
        """(name, data) of the snapshot, in the order in which they were written; StateDamaged if one is not whole."""
        for number, name in enumerate(self._head["pieces"]):
            data = self._store.get(_NUMBERS.pack(_PIECE, self._head["snapshot"], number))
            if data is None:
                raise StateDamaged(f"{self.path}: piece {number} of the snapshot, {name}, is missing")
            yield name, data

    def log(self) -> Iterator[bytes]:
        """The records since the snapshot, in order; StateDamaged if one is not whole or is missing.

        A record that was being written when the process was killed is not among them: it was never acknowledged.
        """
        for expected, (key, data) in enumerate(self._store.values(self._prefix(_RECORD))):
            if _number(key) != expected:
                raise StateDamaged(f"{self.path}: record {expected} of the log is missing")
            yield data

    def append(self, *parts: Part) -> None:
        """Add a record to the log, given in parts; it is kept when this returns."""
        if not self.has_snapshot:
            raise StateRefused(f"{self.path}: there is no snapshot yet that a record could follow")
        crash_point("before_log")
        key = _NUMBERS.pack(_RECORD, self._head["snapshot"], self._records)
        self._store.put(key, parts, lambda: crash_point("inside_log"))
        self._records += 1
        self._log_bytes += sum(map(len, parts))
        crash_point("after_log")

    def write_snapshot(self, pieces: Iterable[tuple[str, Sequence[Part]]]) -> None:
        """Replace the snapshot and begin a new log; until all of it is kept, the old ones count.

        Every piece, given as its name and its parts, is a transaction.
        """
        snapshot = self._head["snapshot"] + 1
        names: list[str] = []
        for name, parts in pieces:
            key = _NUMBERS.pack(_PIECE, snapshot, len(names))
            self._store.put(key, parts, lambda: crash_point("inside_snapshot"))
            names.append(name)
        crash_point("before_snapshot_counts")
        self._write_head({**self._head, "snapshot": snapshot, "pieces": names})
        crash_point("after_snapshot_counts")
        self._sweep()

    def finish(self) -> None:
        """The job has finished: the next server that opens this folder starts over."""
        crash_point("before_finish")
        (self.path / place.FINISHED).touch()
        crash_point("after_finish")
        self.close()

    def close(self) -> None:
        """Release the folder, and leave its state to the next server that opens it."""
        self._store.close()
        os.close(self._lock)

    def _prefix(self, kind: bytes) -> bytes:
        return _NUMBERS.pack(kind, self._head["snapshot"], 0)[:9]

    def _read_head(self, fingerprint: str, endpoint: str) -> dict[str, Any]:
        fresh = {"version": _VERSION, "fingerprint": fingerprint, "endpoint": endpoint, "snapshot": 0, "pieces": []}
        data = self._store.get(_HEAD)
        if data is None:
            return fresh
        head = json.loads(data)
        for field in ("version", "fingerprint", "endpoint"):
            if head[field] != fresh[field]:
                raise StateRefused(f"{self.path} has the {field} {head[field]!r}, this server has {fresh[field]!r}")
        return head

    def _write_head(self, head: dict[str, Any]) -> None:
        self._store.put(_HEAD, [json.dumps(head).encode()])
        self._head = head

    def _sweep(self) -> None:
        """Remove what is not current: former snapshots with their logs, and an incomplete one."""
        current = self._head["snapshot"]
        old = [key for kind in (_PIECE, _RECORD) for key, _ in self._store.sizes(kind) if _snapshot_of(key) != current]
        if old:
            self._store.delete(old)
        sizes = [size for _, size in self._store.sizes(self._prefix(_RECORD))]
        self._records, self._log_bytes = len(sizes), sum(sizes)


def _snapshot_of(key: bytes) -> int:
    return _NUMBERS.unpack(key)[1]


def _number(key: bytes) -> int:
    return _NUMBERS.unpack(key)[2]
