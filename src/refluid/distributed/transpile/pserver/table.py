"""A distributed table (`is_distributed=True`) is held by servers only, row by row, and grows with the ids used."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from refluid.core.dtypes import VarType
from refluid.core.errors import EnforceNotMet
from refluid.core.reserved import grad_var_name
from refluid.core.warn import warn_once
from refluid.distributed.transpile.details import find_op_by_output_arg
from refluid.distributed.transpile.pserver.job import Job
from refluid.distributed.transpile.pserver.placement_notes import check_piecewise
from refluid.distributed.transpile.pserver.remote_rows import place_of_all
from refluid.distributed.transpile.pserver.updates import is_update
from refluid.distributed.transpile.roles import LOOKUP_TABLE_TYPE
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.roles import ROLE, ROLE_VAR, OpRole

if TYPE_CHECKING:
    from refluid.distributed.transpile.pserver.server_updates import ServerProgram
    from refluid.ir.variable import Variable

# -- the trainer ----------------------------------------------------------------------------------------------------


def use_table(job: Job) -> None:
    """Rewrite the main program of a trainer: rows are fetched by ids, and their gradients sent to their servers."""
    block = job.main.global_block()
    look_ups = _look_ups(block, str(job.table))
    for op in look_ups:
        if not op.attrs.get("is_distributed"):
            raise EnforceNotMet(
                f"transpile: {job.table} is a distributed table, but one look-up of it lacks is_distributed=True",
                op.details(),
            )
    job.table_padding = look_ups[0].attrs.get("padding_idx", -1)
    _declare_exchanged(job, block, look_ups[0])
    place = place_of_all(block, look_ups)
    if place is not None:
        _fetch(job, block, look_ups, place)
    else:  # ids that depend on rows
        for op in look_ups:
            _fetch(job, block, [op], block.ops.index(op))
    _send_gradient(job, block)


def _look_ups(block: Block, table: str) -> list[Operator]:
    return [op for op in block.ops if op.type in LOOKUP_TABLE_TYPE and op.input("W") == [table]]


def exchanged(kind: str, job: Job) -> list[str]:
    """The variables of the ids ("in") and rows ("out") that go between a trainer and every server."""
    return [f"prefetch_compress_{kind}_tmp_{number}" for number in range(len(job.endpoints))]


def _declare_exchanged(job: Job, block: Block, look_up: Operator) -> None:
    for kind, name in (("in", look_up.input("Ids")[0]), ("out", look_up.output("Out")[0])):
        like = block.vars[name]
        for made in exchanged(kind, job):
            block.create_var(name=made, type=like.type, shape=like.shape, dtype=like.dtype)


def _fetch(job: Job, block: Block, group: list[Operator], place: int) -> None:
    ids = [op.input("Ids")[0] for op in group]
    rows = [op.output("Out")[0] for op in group]
    for op in group:
        block._remove_op(block.ops.index(op))
    wanted, fetched = exchanged("in", job), exchanged("out", job)
    block._insert_op(place, "split_ids", {"Ids": ids}, {"Out": wanted})
    attrs = {"epmap": job.endpoints, "trainer_id": job.trainer_id}
    block._insert_op(place + 1, "prefetch", {"X": wanted}, {"Out": fetched}, attrs)
    block._insert_op(place + 2, "merge_ids", {"Ids": ids, "Rows": wanted, "X": fetched}, {"Out": rows})


def _served_gradients(job: Job, trainer_id: int) -> list[str]:
    """The parts of the table's gradient, one per server."""
    sender = f".trainer_{trainer_id}" if job.sync else ""
    return [f"{grad_var_name(str(job.table))}{sender}.pserver_{number}" for number in range(len(job.endpoints))]


def _send_gradient(job: Job, block: Block) -> None:
    grad = block.vars[grad_var_name(str(job.table))]
    parts = [
        block.create_var(name=name, type=grad.type, shape=grad.shape, dtype=grad.dtype)
        for name in _served_gradients(job, job.trainer_id)
    ]
    index = find_op_by_output_arg(block, grad.name, reverse=True) + 1
    block._insert_op(index, "split_ids", {"Ids": [grad]}, {"Out": parts}, {ROLE: int(OpRole.Dist)})
    attrs = {
        "epmap": job.endpoints, "trainer_id": job.trainer_id, ROLE: int(OpRole.RPC), ROLE_VAR: [job.table, grad.name]
    }  # fmt: skip
    done = [job.sent[str(job.table)]] if job.sync else []
    block._insert_op(index + 1, "send", {"X": parts}, {"Out": done}, attrs)


# -- a server -------------------------------------------------------------------------------------------------------


def serve_table(server: ServerProgram, parent: int, attrs: dict[str, Any]) -> Block:
    """Write the blocks that update rows, look them up and save them; returns the first."""
    update = _write_update(server, parent)
    look_up = _write_look_up(server, update)
    number = server.job.endpoints.index(server.endpoint)
    attrs["prefetch_var_name_to_block_id"] = [f"{exchanged('in', server.job)[number]}:{look_up.idx}"]
    attrs["checkpint_block_id"] = _write_saving(server, update).idx
    server.program._distributed_lookup_table = server.job.table
    return update


def _write_update(server: Any, parent: int) -> Block:
    job, home, table = server.job, server.home, server.job.table
    block = server.program._create_block(parent)
    whole = server.source.vars[table]
    rows = [math.ceil(whole.shape[0] / len(job.endpoints)), *whole.shape[1:]]
    _declare_rows(home, whole, rows)
    grad = _merge_gradients(server, block)
    ops = [op for op in job.updates.of(table) if int(op.attrs.get(ROLE, 0)) == OpRole.Optimize]
    update = next(op for op in ops if is_update(op))
    check_piecewise(update)
    if len(ops) > 1 and not all("BetaPow" in op.type or op.type == "scale" for op in ops if op is not update):
        warn_once(f"{table} is a distributed table: only rows of a batch are updated, so weight decay is not applied")
    for name in update.input_arg_names:
        var = server.source.vars[name]
        if tuple(var.shape) == tuple(whole.shape) and name not in (table, update.input("Grad")[0]):
            _declare_rows(home, var, rows)  # a state for every row
    server.names[update.input("Grad")[0]] = grad
    server.put(block, update)
    for op in ops[ops.index(update) + 1 :]:  # updates the power of a beta
        if set(op.output_arg_names) <= set(update.input_arg_names):
            server.put(block, op)
    server.grad_blocks.append(f"{grad}:{block.idx}")
    return block


def _declare_rows(home: Block, var: Variable, shape: list[int]) -> None:
    home.create_var(name=var.name, shape=shape, dtype=var.dtype, type=VarType.SELECTED_ROWS, persistable=True)


def _merge_gradients(server: Any, block: Block) -> str:
    """The gradient's name; where servers wait for all trainers it is the sum of theirs."""
    job, home = server.job, server.home
    number = job.endpoints.index(server.endpoint)
    like = server.source.vars[grad_var_name(job.table)]
    about = {"type": like.type, "shape": like.shape, "dtype": like.dtype}
    if not job.sync:
        return home.create_var(name=_served_gradients(job, 0)[number], persistable=True, **about).name
    merged = home.create_var(name=like.name, persistable=True, **about)
    parts = [home.create_var(name=_served_gradients(job, trainer)[number], **about) for trainer in range(job.trainers)]
    block.append_op("sum", {"X": parts}, {"Out": [merged]})
    return merged.name


def _write_look_up(server: ServerProgram, update: Block) -> Block:
    job, home = server.job, server.home
    block = server.program._create_block(update.idx)
    number = job.endpoints.index(server.endpoint)
    ids, rows = exchanged("in", job)[number], exchanged("out", job)[number]
    for name in (ids, rows):
        like = server.source.vars[name]
        home.create_var(name=name, type=like.type, shape=like.shape, dtype=like.dtype)
    attrs = {"padding_idx": server.job.table_padding}
    block.append_op("lookup_sparse_table", {"Ids": ids, "W": job.table}, {"Out": rows}, attrs)
    return block


def _write_saving(server: ServerProgram, update: Block) -> Block:
    """The folder comes with checkpoint_notify."""
    server.home.create_var(name="kLookupTablePath", persistable=True, type=VarType.RAW)
    block = server.program._create_block(update.idx)
    block.append_op("save", {"X": [server.job.table]}, {}, {"file_path": "none"})
    return block
