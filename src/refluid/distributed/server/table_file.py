"""Tables in files of Fluid's SelectedRows format, readable by 1.8.5's tools."""

from __future__ import annotations

import os
from typing import IO

from refluid.core.errors import ShapeError
from refluid.distributed.server.table import PARAM, Table
from refluid.saving.tensor_file import RecordReader, write_elements, write_rows_head

_AT_A_TIME = 1 << 16  # rows


def save_table(table: Table, path: str, column: str = PARAM) -> None:
    """Write one column of a table; the file appears whole or not at all."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    written = f"{path}.{os.getpid()}.part"
    with open(written, "wb") as file:
        write_table(file, table, column)
    os.replace(written, path)


def write_table(file: IO[bytes], table: Table, column: str = PARAM) -> None:
    """Append one column to a file, some rows at a time; rows created meanwhile are excluded."""
    ids = table.ids.clone()
    write_rows_head(file, ids, table.dict_size or 0, table.dtype, table.shape)
    for first in range(0, ids.numel(), _AT_A_TIME):
        write_elements(file, table.part(first, min(ids.numel(), first + _AT_A_TIME), column).value)


def load_table(table: Table, path: str, column: str = PARAM) -> None:
    """Set the rows that a file lists; others stay as they are."""
    with open(path, "rb") as file:
        rows = RecordReader(file, path).rows(table.name, any_id=True)
    if rows.value.shape[1:] != table.shape or rows.value.dtype != table.dtype:
        raise ShapeError(
            f"{path}: rows of {rows.value.dtype} {list(rows.value.shape[1:])}, but {table.name} has rows of "
            f"{table.dtype} {list(table.shape)}"
        )
    table.set_rows(rows.index, rows.value, column)
