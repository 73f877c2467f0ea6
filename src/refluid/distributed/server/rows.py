"""Requests for rows: of the parameters that a server holds, and of its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from refluid.distributed.server.fields import count_of, member_of
from refluid.distributed.server.table_operators import lookup_sparse_table
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.update import held
from refluid.distributed.server.wire import Message, Value

if TYPE_CHECKING:
    from refluid.distributed.server.serve import Server


class Rows:
    """Answers ids with rows. A request names several parameters and tables: all look-ups of a step at this server."""

    def __init__(self, server: Server):
        self._server = server
        self._tables = server.tables
        program = server.service.program
        # A trainer's `prefetch` knows a table by the variable that the ids are in.
        look_ups = {name: program.blocks[number].ops[0] for name, number in server.service.looked_up.items()}
        self._look_ups = {op.input("W")[0]: op for op in look_ups.values()}
        self._by_ids = {name: op.input("W")[0] for name, op in look_ups.items()}

    def __call__(self, message: Message) -> Message:
        self._server.coordinator.wait(*member_of(message), count_of(message, "step"))
        return Message("rows", {}, {name: self._rows(name, ids) for name, ids in message.values.items()})

    def _rows(self, asked: str, ids: Value) -> torch.Tensor:
        if not isinstance(ids, torch.Tensor) or ids.dtype != torch.int64:
            raise Refused("rows", f"ids of {asked} must be int64")
        name = self._by_ids.get(asked, asked)
        with self._server.coordinator.reading(name):
            if name in self._tables:
                return self._of_table(name, ids)
            return _of_parameter(name, held(self._server.scope, name), ids)

    def _of_table(self, name: str, ids: torch.Tensor) -> torch.Tensor:
        var = self._server.scope.find_var(name)
        assert var is not None
        op = self._look_ups.get(name)
        return lookup_sparse_table.kernel(var.value, ids, **(lookup_sparse_table.kernel_attrs(op.attrs) if op else {}))


def _of_parameter(name: str, whole: Value, ids: torch.Tensor) -> torch.Tensor:
    if not isinstance(whole, torch.Tensor) or whole.dim() < 1:
        raise Refused("rows", f"{name} has no rows")
    try:
        return whole.index_select(0, ids.reshape(-1))
    except (IndexError, RuntimeError):
        bad = ids[(ids < 0) | (ids >= whole.shape[0])]
        raise Refused("rows", f"row {int(bad[0])} of {name} is asked for, which has {whole.shape[0]}") from None


def register(server: Server) -> None:
    server.answer("rows", Rows(server))
