"""Variables that servers hold in pieces, fetched by rows so that no message has more than a few megabytes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import torch

from refluid.core.dtypes import TORCH
from refluid.core.errors import EnforceNotMet, ShapeError
from refluid.distributed.transpile.placement import VarDistributed, VarStruct
from refluid.saving.tensor_file import write_elements, write_tensor_head
from refluid.tensor.selected_rows import SelectedRows

if TYPE_CHECKING:
    from refluid.distributed.server.trainer import Trainer

_BYTES = 16 << 20  # of one message


@dataclass
class RemotePiece:
    """A variable of a server: all of another one, or rows of it."""

    endpoint: str
    name: str
    shape: tuple[int, ...]

    def rows(self, trainer: Trainer, dtype: torch.dtype) -> Iterator[torch.Tensor]:
        """Its rows, some at a time."""
        height = self.shape[0] if self.shape else 1
        step = max(1, _BYTES // max(1, math.prod(self.shape[1:]) * dtype.itemsize))
        for first in range(0, height, step):
            last = min(height, first + step)
            yield self._fetch(trainer, dtype, first, last)

    def _fetch(self, trainer: Trainer, dtype: torch.dtype, first: int, last: int) -> torch.Tensor:
        answer = trainer.ask(self.endpoint, "piece", step=trainer.step, name=self.name, first=first, last=last)
        rows = answer.values[self.name]
        expected = (last - first, *self.shape[1:]) if self.shape else ()
        if not isinstance(rows, torch.Tensor) or tuple(rows.shape) != expected or rows.dtype != dtype:
            raise EnforceNotMet(
                f"the server at {self.endpoint} has {self.name} as {rows.dtype} {list(rows.shape)}, not as {dtype} "
                f"{list(expected)}: it runs another program"
            )
        return rows


@dataclass
class RemoteVariable:
    """A variable whose pieces along the first axis are on servers."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    pieces: list[RemotePiece]

    def __post_init__(self) -> None:
        here, want = sum(math.prod(piece.shape) for piece in self.pieces), math.prod(self.shape)
        if here != want:
            raise ShapeError(f"{self.name} has {want} elements, but its pieces on servers have {here}")

    @classmethod
    def of(cls, notes: Sequence[VarDistributed]) -> RemoteVariable:
        """From the transpiler's placement. Every server has what is not split (powers of beta); the first's is read."""
        origin = notes[0].origin
        ordered = sorted(notes, key=lambda one: one.block_id) if notes[0].is_slice else notes[:1]
        pieces = [RemotePiece(str(one.endpoint), one.slice.name, tuple(one.slice.shape)) for one in ordered]
        return cls(origin.name, TORCH[origin.dtype], tuple(origin.shape), pieces)

    @classmethod
    def whole(cls, var: VarStruct, endpoint: str) -> RemoteVariable:
        """A variable that a server holds under its own name."""
        shape = tuple(var.shape)
        return cls(var.name, TORCH[var.dtype], shape, [RemotePiece(endpoint, var.name, shape)])

    def write(self, file: IO[bytes], trainer: Trainer) -> None:
        """Append the record of the whole tensor to a file; memory holds a few megabytes of it at a time."""
        write_tensor_head(file, self.dtype, self.shape)
        for part in self._parts(trainer):
            write_elements(file, part)

    def value(self, trainer: Trainer) -> torch.Tensor:
        """The whole tensor; memory holds it once."""
        whole, first = torch.empty(self.shape, dtype=self.dtype), 0
        for part in self._parts(trainer):
            whole.view(-1)[first : first + part.numel()] = part.reshape(-1)
            first += part.numel()
        return whole

    def bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    def _parts(self, trainer: Trainer) -> Iterator[torch.Tensor]:
        for piece in self.pieces:
            yield from piece.rows(trainer, self.dtype)


@dataclass
class RemoteTable:
    """A distributed table: rows by id, each at one of the servers."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]  # of a row
    height: int
    endpoints: list[str]

    def rows(self, trainer: Trainer) -> dict[str, int]:
        """The number of rows on each server."""
        return {endpoint: self._rows_at(trainer, endpoint) for endpoint in self.endpoints}

    def bytes(self, rows: int) -> int:
        """Of so many of them, with their ids."""
        return rows * (8 + math.prod(self.shape) * self.dtype.itemsize)

    def value(self, trainer: Trainer, rows: dict[str, int]) -> SelectedRows:
        """The rows that were counted; others may be added meanwhile. Memory holds them once."""
        step = max(1, _BYTES // max(1, math.prod(self.shape) * self.dtype.itemsize))
        index = torch.empty(sum(rows.values()), dtype=torch.int64)
        value = torch.empty((len(index), *self.shape), dtype=self.dtype)
        filled = 0
        for endpoint, count in rows.items():
            for first in range(0, count, step):
                part = self._part(trainer, endpoint, first, min(count, first + step))
                end = filled + len(part.index)
                index[filled:end], value[filled:end] = part.index, part.value
                filled = end
        return SelectedRows.of(index, value, self.height)

    def _rows_at(self, trainer: Trainer, endpoint: str) -> int:
        answer = trainer.ask(endpoint, "piece", step=trainer.step, name=self.name, first=0, last=0)
        return int(answer.fields["rows"])

    def _part(self, trainer: Trainer, endpoint: str, first: int, last: int) -> SelectedRows:
        answer = trainer.ask(endpoint, "piece", step=trainer.step, name=self.name, first=first, last=last)
        rows = answer.values[self.name]
        if not isinstance(rows, SelectedRows) or tuple(rows.value.shape) != (last - first, *self.shape):
            raise EnforceNotMet(
                f"the server at {endpoint} has {self.name} with another shape or dtype: it runs another program"
            )
        return rows
