"""A column of a distributed table as a variable of a program holds it."""

from __future__ import annotations

import math

import torch

from refluid.core.errors import ArgumentError
from refluid.distributed.server.table import PARAM, Table
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.selected_rows import SelectedRows


class TableRows(SelectedRows):
    """SelectedRows that are read off a table: `index` are the ids that have a row, `value` a copy of their rows."""

    __slots__ = ("column", "table")

    def __init__(self, table: Table, column: str = PARAM):
        self.table, self.column = table, column

    @property
    def index(self) -> torch.Tensor:
        return self.table.ids

    @index.setter
    def index(self, ids: torch.Tensor) -> None:
        raise self._read_only()

    @property
    def n_rows(self) -> int:
        return self.table.dict_size or 0

    @n_rows.setter
    def n_rows(self, height: int) -> None:
        self.table.dict_size = height

    @property
    def value(self) -> torch.Tensor:
        return self.table.selected_rows(self.column).value

    @value.setter
    def value(self, rows: torch.Tensor) -> None:
        raise self._read_only()

    @property
    def dtype(self) -> torch.dtype:
        return self.table.dtype

    @property
    def shape(self) -> torch.Size:
        return torch.Size((self.n_rows, *self.table.shape))

    def get_tensor(self) -> LoDTensor:
        """A copy of the values."""
        return LoDTensor.of(self.value)

    def part(self, first: int, last: int) -> SelectedRows:
        """A copy of some rows, in the order of creation."""
        return self.table.part(first, last, self.column)

    def numel(self) -> int:
        return len(self.table) * math.prod(self.table.shape)

    def set_rows(self, rows: object) -> None:
        raise self._read_only()

    def set_height(self, height: int) -> None:
        self.n_rows = height

    def _read_only(self) -> ArgumentError:
        return ArgumentError(f"{self.table.name} is a table of a parameter server: load its rows from a file")

    def take(self, rows: SelectedRows) -> None:
        """Set the rows that are listed, as a file has them; others stay as they are."""
        self.table.set_rows(rows.index, rows.value, self.column)
