"""Saving at a server: it sends its variables to a trainer, rows at a time, and writes its tables."""

from __future__ import annotations

import contextlib
import glob
import os
import threading
from typing import TYPE_CHECKING

from refluid.distributed.persist.tables import STATES
from refluid.distributed.server.fields import count_of, member_of, text_of
from refluid.distributed.server.table_file import write_table
from refluid.distributed.server.table_rows import TableRows
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.update import held
from refluid.distributed.server.wire import Message
from refluid.tensor.selected_rows import SelectedRows

if TYPE_CHECKING:
    from refluid.distributed.server.serve import Server


def register(server: Server) -> None:
    """Answer the requests of trainers that save."""
    server.answer("piece", lambda message: _piece(server, message))
    server.answer("table", _TableFiles(server))


def _piece(server: Server, message: Message) -> Message:
    """Rows of a variable, when all rounds before `step` are over; of a table as SelectedRows."""
    server.coordinator.wait(*member_of(message), count_of(message, "step"))
    name, first, last = text_of(message, "name"), count_of(message, "first"), count_of(message, "last")
    with server.coordinator.reading(name):
        value = held(server.scope, name)
        if isinstance(value, TableRows):
            return Message("piece", {"rows": len(value.table)}, {name: value.part(first, last)})
        if isinstance(value, SelectedRows):
            raise Refused("variable", f"{name} is no variable that can be fetched")
        return Message("piece", {}, {name: value[first:last].clone() if value.dim() else value.clone()})


class _TableFiles:
    """Writes tables into files in two stages, so that the files of all servers appear or none does.

    "write" writes temporary files, "keep" renames them, "drop" removes them. A trainer may repeat a
    request when an answer was lost.
    """

    def __init__(self, server: Server):
        self._server = server
        self._lock = threading.Lock()
        self._written: dict[str, dict[str, str]] = {}  # by save: the path of each file and the file beside
        self._kept: set[str] = set()

    def __call__(self, message: Message) -> Message:
        save, stage = text_of(message, "save"), text_of(message, "stage")
        try:
            with self._lock:
                if stage == "write":
                    name, folder = text_of(message, "name"), text_of(message, "folder")
                    self._write(name, folder, count_of(message, "number"), save)
                elif stage == "keep":
                    self._keep(save)
                elif stage == "drop":
                    self._drop(save)
                else:
                    raise Refused("wire", f"a table is not saved by {stage[:40]!r}")
        except OSError as error:
            self._drop(save)
            where = error.filename or "the files of a table"
            endpoint = self._server.service.endpoint
            raise Refused("save", f"the server at {endpoint} cannot write {where} ({error.strerror})") from None
        return Message("table")

    def _write(self, name: str, folder: str, number: int, save: str) -> None:
        if save in self._written or save in self._kept:
            return
        beside = self._written[save] = {}
        for path, rows in self._columns(name, folder).items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            for old in glob.glob(f"{glob.escape(path)}_{number}.*.part"):  # of a save that a crash has interrupted
                os.unlink(old)
            beside[f"{path}_{number}"] = f"{path}_{number}.{save}.part"
            with open(beside[f"{path}_{number}"], "wb") as file:
                with self._server.coordinator.reading(name):
                    write_table(file, rows.table, rows.column)
                file.flush()
                os.fsync(file.fileno())

    def _columns(self, name: str, folder: str) -> dict[str, TableRows]:
        """The table, and the optimizer states of its rows, which go to another folder."""
        whole = held(self._server.scope, name)
        if not isinstance(whole, TableRows):
            raise Refused("variable", f"{name} is no distributed table of this server")
        columns: dict[str, TableRows] = {os.path.join(folder, name): whole}
        for other in self._server.service.program.global_block().vars:
            var = self._server.scope.find_var(other)
            rows = None if var is None else var.value
            if isinstance(rows, TableRows) and rows.table is whole.table and rows.column != whole.column:
                columns[os.path.join(folder + STATES, other)] = rows
        return columns

    def _keep(self, save: str) -> None:
        if save in self._kept:
            return
        if save not in self._written:
            raise Refused("save", "the table was not written by this server; was it restarted meanwhile?")
        for path, beside in self._written.pop(save).items():
            os.replace(beside, path)
        self._kept.add(save)

    def _drop(self, save: str) -> None:
        for beside in self._written.pop(save, {}).values():
            with contextlib.suppress(OSError):
                os.unlink(beside)
