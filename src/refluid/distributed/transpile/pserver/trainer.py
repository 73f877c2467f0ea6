"""The main program of a trainer: gradients are sent where they are computed, parameters fetched at the end."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from refluid.core.dtypes import VarType
from refluid.core.reserved import generate_control_dev_var_name
from refluid.distributed.transpile.details import find_op_by_output_arg
from refluid.distributed.transpile.pserver.job import Job, Piece
from refluid.distributed.transpile.pserver.remote_rows import fetch_rows, find_remote
from refluid.distributed.transpile.pserver.step_counter import count_steps_of_all
from refluid.ir.block import Block
from refluid.ir.roles import ROLE, ROLE_VAR, OpRole

if TYPE_CHECKING:
    from refluid.ir.variable import Variable

RPC = {ROLE: int(OpRole.RPC)}


def control_var(block: Block) -> Variable:
    """A variable that only orders operators."""
    return block.create_var(name=generate_control_dev_var_name(), dtype="bool")


def write_trainer(job: Job) -> None:
    """Rewrite the main program."""
    block = job.main.global_block()
    find_remote(job)
    for origin in dict.fromkeys(piece.origin for piece in job.dealt):
        _send(job, block, job.parameters[origin])
    barrier = control_var(block)
    if job.table is not None:
        job.sent[job.table] = control_var(block)
    after_sending: list[Any] = list(job.sent.values())
    if not job.sync:
        counted = count_steps_of_all(job)
        if counted is not None:
            after_sending.append(_send_counter(job, block, counted))
    if job.sync or (job.by_communicator and job.config.half_async):
        attrs = {"endpoints": job.endpoints, "trainer_id": job.trainer_id, "half_async": not job.sync, **RPC}
        block.append_op("send_barrier", {"X": after_sending}, {"Out": barrier}, attrs)
    fetched = _fetch(job, block, barrier)
    fetch_rows(job)
    if job.sync:
        attrs = {"endpoints": job.endpoints, "trainer_id": job.trainer_id, **RPC}
        block.append_op("fetch_barrier", {"X": [barrier]}, {"Out": fetched}, attrs)
    if not job.by_communicator:
        put_together(job, block, {ROLE: int(OpRole.Dist)})


def _send(job: Job, block: Block, pieces: list[Piece]) -> None:
    whole = pieces[0].grad_origin if pieces[0].cut else pieces[0].grad.name
    index = find_op_by_output_arg(block, whole, reverse=True) + 1
    grads = [piece.grad for piece in pieces]
    if pieces[0].cut and not job.by_communicator:
        _split(block, index, block.vars[whole], grads)
        index += 1
    done = job.sent[pieces[0].grad_origin] = control_var(block)
    sections: list[int] = []
    names: list[str] = []
    if job.by_communicator:
        sections = [grad.shape[0] for grad in grads]
        suffix = f".trainer_{job.trainer_id}" if job.sums else ""
        names = [grad.name + suffix for grad in grads]
        grads = [block.vars[whole]]
    attrs = {
        "epmap": [piece.endpoint for piece in pieces], "sections": sections, "send_varnames": names,
        ROLE_VAR: [pieces[0].origin, whole], **RPC,
    }  # fmt: skip
    block._insert_op(index, "send", {"X": grads}, {"Out": done}, attrs)


def _split(block: Block, index: int, whole: Variable, pieces: list[Any]) -> None:
    sparse = whole.type == VarType.SELECTED_ROWS
    attrs = {"height_sections" if sparse else "sections": [piece.shape[0] for piece in pieces]}
    block._insert_op(
        index, "split_selected_rows" if sparse else "split_byref", {"X": whole}, {"Out": pieces},
        {**attrs, ROLE: int(OpRole.Dist)},
    )  # fmt: skip


def _send_counter(job: Job, block: Block, counter: Variable) -> Variable:
    done = control_var(block)
    attrs = {
        "epmap": job.endpoints, "sections": [], "send_varnames": [counter.name] if job.by_communicator else [],
        "merge_add": True, "use_send_handler": False, ROLE_VAR: [counter.name, counter.name], **RPC,
    }  # fmt: skip
    block.append_op("send", {"X": counter}, {"Out": done}, attrs)
    return done


def _fetch(job: Job, block: Block, barrier: Variable) -> list[Any]:
    """Append what fetches parameters; those whose rows are fetched per batch are excluded. Returns what is fetched."""
    fetched: list[Any] = []
    for origin, pieces in job.parameters.items():
        if origin in job.remote:
            continue
        grad = pieces[0].grad_origin if pieces[0].cut else pieces[0].grad.name
        names = [piece.param.name for piece in pieces] if job.by_communicator else []
        outputs = [block.vars[origin]] if job.by_communicator else [piece.param for piece in pieces]
        attrs = {
            "epmap": [piece.endpoint for piece in pieces], "recv_varnames": names, "trainer_id": job.trainer_id,
            ROLE_VAR: [origin, grad], **RPC,
        }  # fmt: skip
        before = barrier if job.sync else job.sent[pieces[0].grad_origin]
        block.append_op("recv", {"X": [before]}, {"Out": outputs}, attrs)
        fetched += outputs
    return fetched


def put_together(job: Job, block: Block, attrs: dict[str, Any], without: Collection[str] = ()) -> None:
    """Append the concatenation of parameters from their pieces."""
    for origin, pieces in job.parameters.items():
        if pieces[0].cut and origin not in job.remote and origin not in without:
            names = [piece.param.name for piece in pieces]
            block.append_op("concat", {"X": names}, {"Out": [origin]}, {"axis": 0, **attrs})
