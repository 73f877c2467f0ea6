"""Geo-SGD by a Communicator: the program updates parameters here, and sends their deltas to servers every few steps.

With N trainers a parameter here is `p`, and the servers' last known value is `known`. After `push_nums` steps
(p - known) / N goes to the servers, which add it. Their new value comes back as `s`, with the deltas of all
trainers: p += s - known, known = s. Both are done between two steps of the program; the exchange runs in a thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import torch

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.addressed import cut
from refluid.distributed.server.trainer import Trainer
from refluid.distributed.server.wire import Value
from refluid.executor.runtime import put
from refluid.tensor.scope import Scope
from refluid.tensor.selected_rows import SelectedRows

Moves = dict[str, dict[str, Value]]  # endpoint -> name there -> rows or tensor


@dataclass
class Moving:
    """A parameter of geo training."""

    name: str
    pieces: list[tuple[str, str]]  # (endpoint, name there)
    sections: list[int]  # rows of the pieces
    sparse: bool  # sparse: deltas are sent row by row
    known: torch.Tensor | None = None
    versions: tuple[str, ...] = ()  # of the pieces: the last version received from the servers

    @classmethod
    def of(cls, name: str, told: Mapping[str, list[str]]) -> Moving:
        """`told` is the description of a parameter by GeoSgdTranspiler."""
        pieces = list(zip(told["epmap"], told["var_names"], strict=True))
        sections = [int(rows) for rows in told["sections"]]
        return cls(name, pieces, sections, told["is_sparse"] == ["True"], versions=("",) * len(pieces))


class Geo:
    """Exchanges go one after the other; the program waits for the last one before it begins another."""

    def __init__(self, trainer: Trainer, parameters: list[Moving], trainers: int, push_nums: int, scope: Scope):
        self._trainer, self._parameters, self._scope = trainer, parameters, scope
        self._share, self._push_nums = 1.0 / trainers, push_nums
        self._steps = 0  # since the last exchange began
        self._met: dict[str, list[torch.Tensor]] = {}  # table -> the ids of these steps
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="refluid-geo")
        self._exchange: Future[None] | None = None
        self._brought: dict[str, list[Value]] = {}
        if all(self._has_value(one.name) for one in parameters):
            self._begin()

    def take(self, attrs: dict[str, Any], names: list[str], values: list[Value], last: bool) -> None:
        if attrs["send_varnames"] == ["param_init"]:
            self._begin()
            return
        if self._parameters and self._parameters[0].known is None:
            raise EnforceNotMet("the Communicator knows no parameters: run the startup program before the main program")
        for table, ids in zip(attrs["send_varnames"], values, strict=True):
            assert isinstance(ids, torch.Tensor)
            self._met.setdefault(table, []).append(ids.reshape(-1).unique())
        self._steps += 1
        if self._steps >= self._push_nums:
            self._end_exchange()
            self._begin_exchange()
        elif self._exchange is not None and self._exchange.done():
            self._end_exchange()

    def barrier(self) -> None:
        """Steps of geo training wait for nobody."""

    def finish(self) -> None:
        self._end_exchange()
        if self._steps:
            self._begin_exchange(last=True)
        self._threads.shutdown()

    # -- the program's thread -------------------------------------------------------------------------------------

    def _has_value(self, name: str) -> bool:
        var = self._scope.find_var(name)
        return var is not None and var.is_initialized()

    def _begin(self) -> None:
        """Parameters become those of the servers."""
        self._end_exchange()
        self._steps, self._met = 0, {}
        for parameter in self._parameters:
            parameter.versions = ("",) * len(parameter.pieces)
        self._fetch({})
        for parameter in self._parameters:
            whole = torch.cat([_rows(piece)[1] for piece in self._brought[parameter.name]])
            parameter.known = whole
            put(self._scope.var(parameter.name), whole, False)

    def _begin_exchange(self, last: bool = False) -> None:
        moves: Moves = {}
        for parameter in self._parameters:
            for (endpoint, name), piece in zip(
                parameter.pieces, cut(self._moved(parameter), parameter.sections), strict=True
            ):
                moves.setdefault(endpoint, {})[f"{name}.delta"] = piece
        steps, self._steps, self._met = self._steps, 0, {}
        if last:  # pools may take nothing any more
            self._run(moves, steps)
            self._take_brought()
        else:
            self._exchange = self._threads.submit(self._run, moves, steps)

    def _moved(self, moving: Moving) -> Value:
        """This trainer's share of the delta of a parameter; servers know it from now on."""
        now, known = self._value(moving), moving.known
        assert known is not None
        if not moving.sparse:
            move = (now - known) * self._share
            known += move
            return move
        met = self._met.get(moving.name)
        index = torch.cat(met).unique() if met else torch.empty(0, dtype=torch.int64)
        move = (now[index] - known[index]) * self._share
        known[index] += move
        return SelectedRows.of(index, move, known.shape[0])

    def _end_exchange(self) -> None:
        """Apply the results of the exchange, if there is one."""
        if self._exchange is None:
            return
        exchange, self._exchange = self._exchange, None
        exchange.result()
        self._take_brought()

    def _take_brought(self) -> None:
        for one in self._parameters:
            first = 0
            for rows, piece in zip(one.sections, self._brought[one.name], strict=True):
                self._take_over(one, first, rows, piece)
                first += rows

    def _take_over(self, moving: Moving, first: int, rows: int, piece: Value) -> None:
        now, known = self._value(moving), moving.known
        assert known is not None
        index, value = _rows(piece)
        if index is None:
            place: slice | torch.Tensor = slice(first, first + rows)
        else:
            place = index + first
        now[place] += value - known[place]
        known[place] = value

    def _value(self, one: Moving) -> torch.Tensor:
        var = self._scope.find_var(one.name)
        assert var is not None
        return var.value.t

    # -- the thread beside it ---------------------------------------------------------------------------------------

    def _run(self, moves: Moves, steps: int) -> None:
        self._trainer.push(moves, {}, steps)
        self._fetch(moves)

    def _fetch(self, moves: Moves) -> None:
        """What servers have: of tables the rows that have changed since, of the others all."""
        asked: dict[str, dict[str, str]] = {}
        for parameter in self._parameters:
            for (endpoint, name), version in zip(parameter.pieces, parameter.versions, strict=True):
                asked.setdefault(endpoint, {})[name] = version
        answers = self._trainer.ask_all("changes", {endpoint: {"since": since} for endpoint, since in asked.items()})
        for parameter in self._parameters:
            self._brought[parameter.name] = [answers[endpoint].values[name] for endpoint, name in parameter.pieces]
            if parameter.sparse:
                parameter.versions = tuple(
                    answers[endpoint].fields["versions"][name] for endpoint, name in parameter.pieces
                )


def _rows(piece: Value) -> tuple[torch.Tensor | None, torch.Tensor]:
    """Which rows of a piece these are, None for all, and their values."""
    return (piece.index, piece.value) if isinstance(piece, SelectedRows) else (None, piece)
