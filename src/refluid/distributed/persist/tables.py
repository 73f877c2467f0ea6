"""Distributed tables in files: every server writes its rows into `dir/<table>_<number of the server>`."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from refluid.core.dtypes import TORCH, VarType
from refluid.core.errors import EnforceNotMet, ShapeError
from refluid.distributed.server.lookup import server_of
from refluid.distributed.server.table_rows import TableRows
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.saving.files import settle
from refluid.saving.tensor_file import RecordReader
from refluid.tensor.scope import global_scope
from refluid.tensor.selected_rows import SelectedRows

if TYPE_CHECKING:
    from refluid.distributed.server.trainer import Trainer

FOLDER = "__lookup_table__"  # in the folder of all other variables
STATES = ".states"  # suffix of a folder with tables: the folder of the optimizer states of rows


def save_tables(trainer: Trainer, endpoints: Sequence[str], folder: str, tables: Sequence[str]) -> None:
    """Let every server write its rows of tables into a folder of its machine; all files appear when all are written."""
    saves = {name: secrets.token_hex(4) for name in tables}
    try:
        for name, save in saves.items():
            trainer.ask_all("table", {
                endpoint: {"stage": "write", "save": save, "name": name, "folder": folder, "number": number}
                for number, endpoint in enumerate(endpoints)
            })  # fmt: skip
    except EnforceNotMet:
        for save in saves.values():
            _notify_reachable(trainer, endpoints, {"stage": "drop", "save": save})
        raise
    for save in saves.values():
        trainer.ask_all("table", {endpoint: {"stage": "keep", "save": save} for endpoint in endpoints})


def _notify_reachable(trainer: Trainer, endpoints: Sequence[str], fields: dict[str, Any]) -> None:
    for endpoint in endpoints:
        with contextlib.suppress(EnforceNotMet):  # one is gone: the caller reports it
            trainer.ask(endpoint, "table", **fields)


def files_of(folder: str, name: str) -> list[str]:
    """The files of a table, by the numbers of their servers."""
    settle(folder)
    if not os.path.isdir(folder):
        return []
    numbers = [entry.removeprefix(f"{name}_") for entry in os.listdir(folder) if entry.startswith(f"{name}_")]
    return [os.path.join(folder, f"{name}_{number}") for number in sorted(map(int, filter(str.isdigit, numbers)))]


def read_rows(paths: Sequence[str], name: str, server: int | None = None, servers: int = 1) -> SelectedRows | None:
    """The rows in files, or those that belong to one of several servers; None if there is no file.

    A table written by the same number of servers is assigned as before; otherwise every server reads all of it.
    """
    chosen = [paths[server]] if server is not None and len(paths) == servers else list(paths)
    parts = [_read(path, name) for path in chosen]
    if not parts:
        return None
    index = torch.cat([part.index for part in parts])
    value = torch.cat([part.value for part in parts])
    if server is not None:
        mine = server_of(index, servers) == server
        index, value = index[mine], value[mine]
    return SelectedRows.of(index, value, parts[0].n_rows)


def read_tables(folder: str, program: Program) -> dict[str, SelectedRows]:
    """A server's rows of the distributed tables of its program, and their states, as far as there are files."""
    number, servers = program._endpoints.index(program._ps_endpoint), len(program._endpoints)
    tables = {}
    for var in program.global_block().vars.values():
        if var.type == VarType.SELECTED_ROWS and var.persistable:
            paths = files_of(folder, var.name) or files_of(folder + STATES, var.name)
            rows = read_rows(paths, var.name, number, servers)
            if rows is not None:
                _check_fits(rows, var, paths[0])
                tables[var.name] = rows
    return tables


def put_tables(tables: Mapping[str, SelectedRows]) -> None:
    """Set variables of the global scope; a table that exists keeps its other rows."""
    for name, rows in tables.items():
        var = global_scope().var(name)
        if isinstance(var.value, TableRows):
            var.value.take(rows)
        else:
            var.value = rows


def _check_fits(rows: SelectedRows, var: Variable, path: str) -> None:
    if list(rows.value.shape[1:]) != list(var.shape[1:]) or rows.value.dtype != TORCH[var.dtype]:
        raise ShapeError(
            f"load_persistables: rows of {var.name} are {TORCH[var.dtype]} {list(var.shape[1:])} in the program, but "
            f"{rows.value.dtype} {list(rows.value.shape[1:])} in {path!r}"
        )


def _read(path: str, name: str) -> SelectedRows:
    with open(path, "rb") as file:
        return RecordReader(file, path).rows(name, any_id=True)
