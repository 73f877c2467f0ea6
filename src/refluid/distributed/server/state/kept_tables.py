"""The distributed tables of a server in its snapshots. Their updates are in the records of gradients."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.tables import Tables
from refluid.distributed.server.wire import Message

_PIECE = 16 << 20  # elements


class KeptTables:
    """Untrained rows may be missing after a restart: they are initialized to the same values again."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def pieces(self) -> Iterator[Message]:
        for name, table in self._tables.items():
            for column, rows in table.pieces():
                most = max(1, _PIECE // max(1, rows[:1].numel()))
                for start in range(0, max(1, rows.shape[0]), most):
                    about = {"table": name, "column": column}
                    yield Message("table", about, {"rows": rows[start : start + most]})

    def restore(self, pieces: Iterator[Message]) -> None:
        for name, parts in groupby(pieces, key=lambda piece: piece.fields["table"]):
            if name not in self._tables:
                raise EnforceNotMet(f"the state folder has a table {name}, which this server's program has not")
            self._tables[name].clear()
            self._tables[name].restore(_joined(parts))

    def replay(self, message: Message) -> None:
        raise EnforceNotMet(f"tables have no records of their own, but one is {message.kind!r}")


def _joined(parts: Iterator[Message]) -> Iterator:
    for part in parts:
        yield part.fields["column"], part.values["rows"]
