"""How plans run the operators of operators.py: as calls that know the names of variables, which kernels do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.distributed.server.operators import fetch_barrier, listen_and_serv, recv, send, send_barrier
from refluid.executor.codegen import Source, emits
from refluid.executor.step import Step
from refluid.ir.block import Block
from refluid.ir.program import Program
from refluid.ops.registry import OpDef
from refluid.tensor.scope import Scope, ScopeVar
from refluid.tensor.selected_rows import SelectedRows

_OF_TRAINERS = ("send", "send_barrier", "recv", "fetch_barrier")


class _Exchange:
    """The part of one operator in the exchanges of its trainer.

    gRPC is imported by the first run of such an operator, not by everybody who imports paddle.
    """

    def __init__(self, step: Step, program: Program):
        self.attrs: dict[str, Any] = step.attrs
        self.names = [name for names in (*step.inputs, *step.outputs) for name in names if name]
        self.endpoints = _endpoints(program)
        self.number = _trainer_id(program)

    def trainer(self) -> Any:
        from refluid.distributed.server.trainer import trainer_of

        return trainer_of(self.number, self.endpoints)


class _Send(_Exchange):
    def __call__(self, values: list[Any]) -> None:
        trainer, epmap = self.trainer(), self.attrs["epmap"]
        names, pieces = self.names[: len(values)], values
        if self.attrs["send_varnames"]:
            names, pieces = self.attrs["send_varnames"], _cut(values[0], self.attrs["sections"])
        _same_length(names, pieces, epmap)
        for name, piece, endpoint in zip(names, pieces, epmap, strict=True):
            trainer.gather(endpoint, name, piece)


class _SendBarrier(_Exchange):
    def __call__(self) -> None:
        self.trainer().exchange()


class _Recv(_Exchange):
    def __call__(self, names: list[str]) -> list[Any]:
        trainer, epmap, pieces = self.trainer(), self.attrs["epmap"], self.attrs["recv_varnames"]
        remote = pieces or self.attrs["varnames"] or names
        _same_length(remote, remote if pieces else names, epmap)
        found = [trainer.take(endpoint, name) for name, endpoint in zip(remote, epmap, strict=True)]
        return [torch.cat(found)] if pieces else found


class _FetchBarrier(_Exchange):
    def __call__(self) -> None:
        self.trainer()  # which joins, where a program receives nothing


class _Serve:
    """A server; its scope is made of the variables of the scope that the program runs in."""

    def __init__(self, step: Step, program: Program):
        attrs = step.operator.attrs
        blocks: list[Block] = attrs["optimize_blocks"]
        self.program, self.endpoint, self.trainers = program, attrs["endpoint"], attrs["Fanin"]
        self.numbers = [block.idx for block in blocks]
        mode = attrs["distributed_mode"]
        if mode != 0:
            raise EnforceNotMet(f"listen_and_serv: distributed_mode {mode} is not there yet; 0 is synchronous training")

    def __call__(self, variables: list[ScopeVar]) -> None:
        from refluid.distributed.server.serve import serve

        serve(self.program, self.endpoint, self.trainers, self.numbers, Scope.over(variables))


def _emits_call(op: OpDef, make: Callable[[Step, Program], Any], values: bool = False) -> None:
    @emits(op)
    def emit(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
        run = source.constant(make(step, source.program), op.type)
        given = ", ".join(source.ident(name) for name in step.inputs[0] if name) if values else ""
        source.line(f"{run}({f'[{given}]' if values else ''})", step, indent)
        for name in step.outputs[0]:  # order alone: nothing is computed
            if name and name not in source.idents:
                source.line(f"{source.ident(name)} = None", step, indent)


_emits_call(send, _Send, values=True)
_emits_call(send_barrier, _SendBarrier)
_emits_call(fetch_barrier, _FetchBarrier)


@emits(recv)
def _emit_recv(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
    names = [name for name in step.outputs[0] if name]
    if step.attrs["do_not_run"]:
        return
    run = source.constant(_Recv(step, source.program), "recv")
    targets = ", ".join(source.ident(name) for name in names)
    source.line(f"[{targets}] = {run}({names!r})", step, indent)
    for name in names:
        source.lods.pop(name, None)
        if source.persistable(name):
            local = source.ident(name)
            source.line(f"{local} = put({source.scope_var(name)}, {local}, True)", step, indent)


@emits(listen_and_serv)
def _emit_serve(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
    run = source.constant(_Serve(step, source.program), "serve")
    kept = [
        var.name
        for var in source.program.list_vars()
        if var.persistable and var.type in (VarType.LOD_TENSOR, VarType.SELECTED_ROWS)
    ]
    variables = ", ".join(source.scope_var(name) for name in dict.fromkeys(kept))
    source.line(f"{run}([{variables}])", step, indent)


def _trainer_id(program: Program) -> int:
    """The trainer's number. DistributeTranspiler leaves it out of `send`, whose 0 says nothing beside the others'."""
    found = [op for op in program.global_block().ops if op.type in _OF_TRAINERS]
    telling = [op for op in found if op.type != "send"] or found
    return next((op.attrs["trainer_id"] for op in telling if op.attrs.get("trainer_id")), 0)


def _endpoints(program: Program) -> tuple[str, ...]:
    """All servers that a trainer's program names: it joins them together."""
    found: dict[str, None] = {}
    for op in program.global_block().ops:
        if op.type in _OF_TRAINERS:
            found.update(dict.fromkeys(op.attrs.get("endpoints") or op.attrs.get("epmap") or ()))
    return tuple(sorted(found))


def _cut(value: Any, sections: list[int]) -> list[Any]:
    """Pieces along the first axis: of so many rows each."""
    if len(sections) < 2:
        return [value]
    if not isinstance(value, SelectedRows):
        return list(value.split(list(sections)))
    pieces, first = [], 0
    for rows in sections:
        inside = (value.index >= first) & (value.index < first + rows)
        pieces.append(SelectedRows.of(value.index[inside] - first, value.value[inside], rows))
        first += rows
    return pieces


def _same_length(names: Any, values: Any, epmap: Any) -> None:
    if not len(names) == len(values) == len(epmap):
        raise ArgumentError(f"{len(values)} variables with {len(names)} names go to {len(epmap)} servers of epmap")
