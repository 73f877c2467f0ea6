"""Sparse embeddings: the rows of a batch are fetched from servers, the whole table is never on a trainer."""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import VarType
from refluid.distributed.transpile.pserver.job import Job
from refluid.distributed.transpile.roles import LOOKUP_TABLE_GRAD_TYPE, LOOKUP_TABLE_TYPE
from refluid.ir.block import Block
from refluid.ir.operator import Operator


def find_remote(job: Job) -> None:
    """Record the parameters that are only looked up, with sparse gradients."""
    block = job.main.global_block()
    for origin, pieces in job.parameters.items():
        if pieces[0].grad.type == VarType.SELECTED_ROWS and _only_looked_up(job, block, origin):
            job.remote[origin] = pieces


def _only_looked_up(job: Job, block: Block, name: str) -> bool:
    """A table that another operator reads too, such as a matmul with shared weights, has to be on the trainer."""
    updates = set(map(id, job.updates.ops))
    readers = [op for op in block.ops if name in op.input_arg_names and id(op) not in updates]
    look_ups = [op for op in readers if op.type in LOOKUP_TABLE_TYPE and op.attrs.get("remote_prefetch")]
    rest = [op for op in readers if op not in look_ups and op.type not in LOOKUP_TABLE_GRAD_TYPE]
    return bool(look_ups) and not rest


def fetch_rows(job: Job) -> None:
    """Replace all look-ups of a table by one fetch; by one for each where ids depend on rows."""
    block = job.main.global_block()
    for origin in job.remote:
        look_ups = [op for op in block.ops if op.type in LOOKUP_TABLE_TYPE and origin in op.input("W")]
        for kind in dict.fromkeys(op.type for op in look_ups):
            group = [op for op in look_ups if op.type == kind]
            place = place_of_all(block, group)
            if place is not None:
                _replace(job, block, origin, group, place)
                continue
            for op in group:
                _replace(job, block, origin, [op], block.ops.index(op))


def place_of_all(block: Block, group: list[Operator]) -> int | None:
    """The position where all ids are available and no row has been read yet, counted without the group itself."""
    others = [op for op in block.ops if op not in group]
    ids = {op.input("Ids")[0] for op in group}
    rows = {op.output("Out")[0] for op in group}
    ready = max((i + 1 for i, op in enumerate(others) if ids & set(op.output_arg_names)), default=0)
    read = min((i for i, op in enumerate(others) if rows & set(op.input_arg_names)), default=len(others))
    return ready if ready <= read else None


def _replace(job: Job, block: Block, origin: str, group: list[Operator], place: int) -> None:
    pieces = job.remote[origin]
    ids = [op.input("Ids")[0] for op in group]
    rows = [op.output("Out")[0] for op in group]
    for op in group:
        block._remove_op(block.ops.index(op))
    attrs: dict[str, Any] = {
        "table_names": [piece.param.name for piece in pieces],
        "height_sections": [piece.param.shape[0] for piece in pieces],
        "endpoints": [piece.endpoint for piece in pieces],
        "padding_idx": group[0].attrs.get("padding_idx", -1),
        "trainer_id": job.trainer_id,
        "lookup_table_version": group[0].type,
    }
    block._insert_op(place, "distributed_lookup_table", {"Ids": ids, "W": origin}, {"Outputs": rows}, attrs)
