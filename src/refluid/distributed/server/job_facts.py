"""Facts of a job in a trainer's program: its servers, the trainer's number, the variables that it receives."""

from __future__ import annotations

from dataclasses import dataclass, field

from refluid.distributed.server.operators import fetch_barrier, recv, send, send_barrier
from refluid.distributed.server.table_operators import distributed_lookup_table, prefetch
from refluid.ir.operator import Operator
from refluid.ir.program import Program

_MOST_NAMES = 24  # that a trainer sends when it joins: messages of non-members are small
_OF_TRAINERS = (send, send_barrier, recv, fetch_barrier, distributed_lookup_table, prefetch)


def trainer_id_of(program: Program) -> int:
    """The trainer's number. DistributeTranspiler leaves it out of `send`, whose 0 says nothing beside the others'."""
    if program._trainer_id is not None:
        return program._trainer_id
    found = [op for op in program.global_block().ops if op.definition in _OF_TRAINERS]
    telling = [op for op in found if op.type != "send"] or found
    return next((op.attrs["trainer_id"] for op in telling if op.attrs.get("trainer_id")), 0)


def endpoints_of(program: Program) -> tuple[str, ...]:
    """All servers that a trainer's program names: it joins them together."""
    endpoints: dict[str, None] = {}
    for op in program.global_block().ops:
        if op.definition in _OF_TRAINERS and not is_geo(op):
            endpoints.update(dict.fromkeys(op.attrs.get("endpoints") or op.attrs.get("epmap") or ()))
    if endpoints:  # servers that nothing is sent to end with the others
        endpoints.update(dict.fromkeys(program._endpoints or ()))
    return tuple(sorted(endpoints))


@dataclass(frozen=True)
class About:
    """What a trainer sends when it joins, so that servers of another job can refuse it."""

    trainers: int | None = None  # how many its program was made for, if a transpiler has noted it
    received: dict[str, list[str]] = field(default_factory=dict)  # endpoint -> names of variables, some of them


NOTHING = About()


def about(program: Program) -> About:
    received: dict[str, list[str]] = {}
    for op in program.global_block().ops:
        if op.type == "recv" and not op.attrs.get("do_not_run"):
            names = op.attrs.get("recv_varnames") or op.attrs.get("varnames") or op.output_arg_names
            for name, endpoint in zip(names, op.attrs["epmap"], strict=False):
                received.setdefault(endpoint, []).append(name)
    return About(program._trainers, {endpoint: names[:_MOST_NAMES] for endpoint, names in received.items()})


def is_geo(op: Operator) -> bool:
    """Whether it is the `send` of geo training: it names tables and the ids met, and no servers.

    Others have the rows of pieces (sections), or are the steps of a schedule (no use_send_handler), or name nothing.
    """
    if op.type != "send" or op.attrs.get("sections") or not op.attrs.get("use_send_handler", True):
        return False
    return bool(op.attrs.get("send_varnames")) or not op.input_arg_names
