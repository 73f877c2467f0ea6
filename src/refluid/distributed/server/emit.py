"""How plans run the operators of operators.py: as calls that know the names of variables, which kernels do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from refluid.core.dtypes import VarType
from refluid.core.errors import EnforceNotMet
from refluid.distributed.communicate.running import running
from refluid.distributed.server.addressed import addressed, same_length
from refluid.distributed.server.job_facts import about, endpoints_of, is_geo, trainer_id_of
from refluid.distributed.server.operators import fetch_barrier, listen_and_serv, recv, send, send_barrier
from refluid.executor.codegen import emit_stores, emits
from refluid.executor.graph.build import Builder, builds
from refluid.executor.graph.names import Names
from refluid.executor.graph.node import Node
from refluid.executor.graph.value import Value, present
from refluid.executor.source import Source
from refluid.ir.operator import EMPTY, Operator
from refluid.ir.program import Program
from refluid.ops.registry import OpDef
from refluid.tensor.scope import Scope, ScopeVar


class Exchange:
    """The part of one operator in the exchanges of its trainer.

    gRPC is imported by the first run of such an operator, not by `import paddle`.
    """

    def __init__(self, node: Node, program: Program):
        self.attrs: dict[str, Any] = node.attrs
        self.names = [value.name for value in present([*node.inputs, *node.outputs])]
        self.endpoints = endpoints_of(program)
        self.number = trainer_id_of(program)
        self.about = about(program)
        self._trainer: Any = None

    def trainer(self) -> Any:
        if self._trainer is None or self._trainer.has_left:
            from refluid.distributed.server.trainer import trainer_of

            self._trainer = trainer_of(self.number, self.endpoints, self.about)
        return self._trainer


class _Send(Exchange):
    """Where no barrier follows, the last `send` exchanges: of those for the Communicator, and of the others."""

    def __init__(self, node: Node, program: Program):
        super().__init__(node, program)
        alike = [op for op in program.global_block().ops if op.type == "send_barrier" or _same_way(op, node.operator)]
        self.is_last = bool(alike) and alike[-1] is node.operator
        self.is_geo = is_geo(node.operator)

    def __call__(self, values: list[Any]) -> None:
        attrs, names, exchanger = self.attrs, self.names[: len(values)], running()
        if exchanger is not None and (attrs["send_varnames"] or not values):
            exchanger.take(attrs, names, values, self.is_last)
            return
        if self.is_geo:
            if attrs["send_varnames"] != ["param_init"]:
                raise EnforceNotMet("geo training exchanges by a fluid.Communicator: start one before the program runs")
            return
        trainer = self.trainer()
        for endpoint, name, piece in addressed(attrs, names, values):
            trainer.gather(endpoint, name, piece)
        if self.is_last:
            trainer.exchange()


def _same_way(one: Operator, other: Operator) -> bool:
    """Whether both use the Communicator, or neither does."""
    return one.type == other.type and bool(one.attrs.get("send_varnames")) == bool(other.attrs.get("send_varnames"))


class _SendBarrier(Exchange):
    def __call__(self) -> None:
        exchanger = running() if self.attrs["half_async"] else None
        if exchanger is not None:
            exchanger.barrier()
        if exchanger is None or self.trainer().has_gathered:
            self.trainer().exchange()


class _Recv(Exchange):
    def __call__(self, names: list[str]) -> list[Any]:
        trainer, epmap, pieces = self.trainer(), self.attrs["epmap"], self.attrs["recv_varnames"]
        remote = pieces or self.attrs["varnames"] or names
        same_length(remote, remote if pieces else names, epmap)
        found = [trainer.take(endpoint, name) for name, endpoint in zip(remote, epmap, strict=True)]
        return [torch.cat(found)] if pieces else found


class _FetchBarrier(Exchange):
    def __call__(self) -> None:
        self.trainer()  # which joins, where a program receives nothing


class _Serve:
    """A server; its scope is made of the variables of the scope that the program runs in."""

    def __init__(self, node: Node, program: Program):
        self.operator = node.operator

    def __call__(self, variables: list[ScopeVar]) -> None:
        from refluid.distributed.server.serve import serve

        serve(self.operator, Scope.over(variables))


def _build_order(builder: Builder, names: Names, operator: Operator, op: OpDef) -> Node:
    """Outputs only order operators: nothing is computed, and a variable that has a value keeps it."""
    about = operator.attrs.get("send_varnames") == ["param_init"]  # geo training's first `send` names its tables
    inputs = [[]] if about else builder.inputs(names, operator, op)
    names_to_write = [name for name in operator.output("Out") if name != EMPTY and names.known(name) is None]
    outputs = [Value(name, names.declared(name)) for name in names_to_write]
    for value in outputs:
        names.write(value.name, value)
    return names.region.append(Node(op, operator, inputs, [[*outputs]], op.kernel_attrs(operator.attrs)))


def _emits_call(op: OpDef, make: Callable[[Node, Program], Any], values: bool = False) -> None:
    builds(op)(_build_order)

    @emits(op)
    def emit(source: Source, node: Node, indent: int) -> None:
        run = source.constant(make(node, source.program), op.type)
        arguments = ", ".join(source.local(value) for value in node.inputs[0] if value) if values else ""
        source.line(f"{run}({f'[{arguments}]' if values else ''})", node, indent)
        for value in node.writes():
            source.line(f"{source.define(value)} = None", node, indent)


_emits_call(send, _Send, values=True)
_emits_call(send_barrier, _SendBarrier)
_emits_call(fetch_barrier, _FetchBarrier)


@builds(recv)
def _build_recv(builder: Builder, names: Names, operator: Operator, op: OpDef) -> Node:
    if not operator.attrs["do_not_run"]:
        return builder.call(names, operator, op)
    return _build_order(builder, names, operator, op)


@emits(recv)
def _emit_recv(source: Source, node: Node, indent: int) -> None:
    if node.attrs["do_not_run"]:
        return
    run = source.constant(_Recv(node, source.program), "recv")
    names = [value.name for value in node.writes()]
    targets = ", ".join(source.define(value) for value in node.writes())
    source.line(f"[{targets}] = {run}({names!r})", node, indent)
    emit_stores(source, node, indent, fresh=True)


@builds(listen_and_serv)
def _build_serve(builder: Builder, names: Names, operator: Operator, op: OpDef) -> Node:
    # X names what trainers send, which no operator computes.
    return names.region.append(Node(op, operator, [[]], [], op.kernel_attrs(operator.attrs)))


@emits(listen_and_serv)
def _emit_serve(source: Source, node: Node, indent: int) -> None:
    run = source.constant(_Serve(node, source.program), "serve")
    kept = [
        var.name
        for var in source.program.list_vars()
        if var.persistable and var.type in (VarType.LOD_TENSOR, VarType.SELECTED_ROWS)
    ]
    variables = ", ".join(source.scope_var(name) for name in dict.fromkeys(kept))
    source.line(f"{run}([{variables}])", node, indent)
