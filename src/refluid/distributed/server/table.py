"""A distributed embedding table as one server holds it: rows by int64 id, created on first use."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.warn import warn_once
from refluid.distributed.server.id_index import IdIndex
from refluid.distributed.server.row_init import RowInit
from refluid.distributed.server.row_updates import row_states, update_rows
from refluid.distributed.server.slabs import Slabs
from refluid.tensor.selected_rows import SelectedRows

PARAM = "Param"


class Table:
    """Rows of shape `shape` by id; any int64 is an id, and a row takes memory from its first look-up or update on.

    A column is what every row has: "Param", and by the names of their slots the accumulators of the optimizer, which
    are initialized with `fills` (0 for those not listed). A new row is a function of (init.seed, id), so that untrained
    rows need not be saved. Several threads may look up and update: `lock` is held meanwhile.

    Args:
        name: the variable, for messages.
        shape: of one row, as (16,).
        init: the initializer of the rows.
        dict_size: rows the program declares; an id outside is accepted with one warning. None: not declared.
        padding_idx: the id whose row is zeros and is never trained; None or -1 for none.
        fills: initial values of accumulators, as {"Moment": 0.1}.
    """

    def __init__(
        self,
        name: str,
        shape: tuple[int, ...],
        init: RowInit,
        *,
        dtype: torch.dtype = torch.float32,
        dict_size: int | None = None,
        padding_idx: int | None = None,
        fills: Mapping[str, float] | None = None,
    ):
        self.name, self.init, self.dict_size = name, init, dict_size
        self.pad(padding_idx)
        self._fills = dict(fills or {})
        self._told_of_growth = dict_size is None
        self._index = IdIndex()
        self._columns = {PARAM: Slabs(shape, dtype)}
        self.lock = threading.RLock()

    # -- reading --------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._index)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._columns[PARAM].shape

    @property
    def dtype(self) -> torch.dtype:
        return self._columns[PARAM].dtype

    @property
    def ids(self) -> torch.Tensor:
        """The ids that have a row, in the order of creation; a view."""
        return self._index.ids

    def look_up(self, ids: torch.Tensor) -> torch.Tensor:
        """The rows of `ids` for training, [*ids.shape, *shape]; unknown ids get new rows."""
        flat = self._flat(ids)
        trained = self._not_padding(flat)
        with self.lock:
            rows = self._rows_of(flat if trained is None else flat[trained])
            return self._filled(flat, trained, rows).view(*ids.shape, *self.shape)

    def peek(self, ids: torch.Tensor) -> torch.Tensor:
        """The rows of `ids` for inference: zeros for unknown ids, and nothing is added."""
        flat = self._flat(ids)
        with self.lock:
            rows = self._index.find(flat)
            known = rows >= 0
            if self.padding_idx is not None:
                known &= flat != self.padding_idx
            return self._filled(flat, known, rows[known]).view(*ids.shape, *self.shape)

    def selected_rows(self, column: str = PARAM) -> SelectedRows:
        """A copy of a whole column as SelectedRows whose rows are ids; its height is the declared dict_size."""
        if column not in self._columns:
            raise ArgumentError(f"{self.name} has no column {column}; it has {', '.join(self._columns)}")
        with self.lock:
            pieces = list(self._columns[column].pieces())
            value = torch.cat(pieces) if pieces else torch.empty((0, *self.shape), dtype=self.dtype)
            return SelectedRows.of(self.ids.clone(), value, self.dict_size or 0)

    def part(self, first: int, last: int, column: str = PARAM) -> SelectedRows:
        """A copy of the rows from the first to the last, in the order of creation."""
        with self.lock:
            places = torch.arange(first, min(last, len(self)))
            return SelectedRows.of(
                self.ids[first:last].clone(), self._column(column).gather(places), self.dict_size or 0
            )

    # -- writing --------------------------------------------------------------------------------------------------

    def pad(self, padding_idx: int | None) -> None:
        """Set the padding id, whose row is zeros and never trained; None or -1 for none."""
        self.padding_idx = None if padding_idx == -1 else padding_idx

    def add_column(self, name: str, begins: float) -> None:
        """Add an accumulator whose rows are initialized with a number."""
        with self.lock:
            self._fills[name] = begins
            self._column(name)

    def update(
        self,
        op_type: str,
        ids: torch.Tensor,
        grads: torch.Tensor,
        shared: Mapping[str, torch.Tensor],
        attrs: Mapping[str, Any] | None = None,
    ) -> None:
        """One step of an optimizer on the rows of `ids`; the gradients of an id that repeats are summed first.

        Args:
            op_type: the operator, as "adagrad".
            grads: [len(ids), *shape].
            shared: inputs of the whole table by slot, as LearningRate and Beta1Pow; those that the operator updates
                are updated in place, also by a step without rows.
            attrs: attributes of the operator.
        """
        states = row_states(op_type)
        flat = self._flat(ids)
        if grads.shape != (flat.numel(), *self.shape):
            want = [flat.numel(), *self.shape]
            raise ShapeError(f"{self.name}: gradients must have the shape {want}, got {list(grads.shape)}")
        trained = self._not_padding(flat)
        if trained is not None:
            flat, grads = flat[trained], grads[trained]
        once, which = torch.unique(flat, return_inverse=True)
        summed = torch.zeros((once.numel(), *self.shape), dtype=self.dtype)
        summed.index_add_(0, which, grads.to(self.dtype))
        with self.lock:
            rows = self._rows_of(once)
            for state in states:
                self._column(state)
            gathered = {column: self._columns[column].gather(rows) for column in (PARAM, *states)}
            update_rows(op_type, gathered, summed, shared, attrs or {})
            for column, values in gathered.items():
                self._columns[column].scatter(rows, values)

    def set_rows(self, ids: torch.Tensor, values: torch.Tensor, column: str = PARAM) -> None:
        """Set the rows of distinct `ids`, as after loading; unknown ids get new rows."""
        flat = self._flat(ids)
        if values.shape != (flat.numel(), *self.shape):
            want = [flat.numel(), *self.shape]
            raise ShapeError(f"{self.name}: {column} must have the shape {want}, got {list(values.shape)}")
        if torch.unique(flat).numel() != flat.numel():
            raise ArgumentError(f"{self.name}: an id is listed twice among the rows to be set")
        with self.lock:
            rows = self._rows_of(flat, tell=False)  # a file may have the rows of all servers
            self._column(column).scatter(rows, values.to(self.dtype))

    # -- snapshots ------------------------------------------------------------------------------------------------

    def pieces(self) -> Iterator[tuple[str, torch.Tensor]]:
        """(column, rows) in order, first ("ids", ...): views, not copies. `restore` takes them in this order.

        Rows that look-ups add meanwhile are excluded; updates have to wait until all pieces were read.
        """
        with self.lock:
            columns = [("ids", self.ids)]
            columns += [(column, piece) for column, slabs in self._columns.items() for piece in slabs.pieces()]
        yield from columns

    def clear(self) -> None:
        """Forget all rows."""
        with self.lock:
            self._index = IdIndex()
            self._columns = {name: Slabs(self.shape, self.dtype) for name in self._columns}

    def restore(self, pieces: Iterator[tuple[str, torch.Tensor]]) -> None:
        """Restore the table from `pieces`; it must be empty."""
        if len(self):
            raise ArgumentError(f"{self.name} has {len(self)} rows already and cannot be restored")
        done: dict[str, int] = {}
        for column, rows in pieces:
            if column == "ids":
                self._index.add(rows)
                continue
            slabs, start = self._columns.setdefault(column, Slabs(self.shape, self.dtype)), done.get(column, 0)
            stop = done[column] = start + rows.shape[0]
            if rows.shape[1:] != self.shape or rows.dtype != self.dtype or stop > len(self):
                raise ShapeError(
                    f"{self.name}: rows {start} to {stop} of {column} are {rows.dtype} {list(rows.shape)}, but the "
                    f"table has {len(self)} rows of {self.dtype} {list(self.shape)}"
                )
            slabs.grow(stop)
            slabs.scatter(torch.arange(start, stop), rows)
        for column in self._columns:
            if done.get(column, 0) != len(self):
                raise ShapeError(f"{self.name}: {done.get(column, 0)} rows of {column} for {len(self)} ids")

    # -- inside ---------------------------------------------------------------------------------------------------

    def _flat(self, ids: torch.Tensor) -> torch.Tensor:
        if ids.dtype not in (torch.int64, torch.int32):
            raise ArgumentError(f"{self.name}: ids must be int64, got {ids.dtype}")
        return ids.reshape(-1).long()

    def _not_padding(self, ids: torch.Tensor) -> torch.Tensor | None:
        """Which of the ids are not the padding; None for all."""
        if self.padding_idx is None:
            return None
        trained = ids != self.padding_idx
        return None if trained.all() else trained

    def _filled(self, ids: torch.Tensor, known: torch.Tensor | None, rows: torch.Tensor) -> torch.Tensor:
        """The rows at known positions, zeros at the others."""
        values = self._columns[PARAM].gather(rows)
        if known is None:
            return values
        out = values.new_zeros((ids.numel(), *self.shape))
        out[known] = values
        return out

    def _column(self, name: str) -> Slabs:
        """A column, created when an optimizer first uses it."""
        if name not in self._columns:
            made = self._columns[name] = Slabs(self.shape, self.dtype)
            made.grow(len(self))
            made.fill(0, len(self), self._fills.get(name, 0.0))
        return self._columns[name]

    def _rows_of(self, ids: torch.Tensor, tell: bool = True) -> torch.Tensor:
        """The number of each id's row; creates missing ones."""
        start = len(self._index)
        rows = self._index.add(ids)
        stop = len(self._index)
        if stop == start:
            return rows
        new = self._index.ids[start:stop]
        if tell:
            self._tell_of_growth(new)
        for name, column in self._columns.items():
            column.grow(stop)
            if name == PARAM:
                column.scatter(torch.arange(start, stop), self.init.rows(new, self.shape, self.dtype))
            else:
                column.fill(start, stop, self._fills.get(name, 0.0))
        return rows

    def _tell_of_growth(self, new: torch.Tensor) -> None:
        if self._told_of_growth or self.dict_size is None:
            return
        if bool(((new < 0) | (new >= self.dict_size)).any()):
            self._told_of_growth = True
            warn_once(f"{self.name} is declared with {self.dict_size} rows and grows for ids outside of them")
