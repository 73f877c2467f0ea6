"""A pass over plans: the sums of gradients of one ring go together in flat buckets, and while the rest still computes.

A bucket starts where its last gradient arises and is waited for where one of its sums is first needed. Which gradients
share a bucket depends on the program alone, not on what a rank fetches, so all ranks make the same. Before a program
exchanges anything for the first time, ranks compare what they are going to exchange.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.distributed import ring as rings
from refluid.distributed.agreement import agree
from refluid.distributed.buckets import BYTES, FIRST_BYTES, Bucket, Layout
from refluid.distributed.ring import Exchange
from refluid.executor import passes
from refluid.executor.step import Step
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ops.registry import OpDef, Tensor

_SYNCS = ("c_sync_calc_stream", "c_sync_comm_stream")
_EXCHANGES = (
    "c_allreduce_sum", "c_allreduce_max", "c_allreduce_min", "c_allreduce_prod", "c_broadcast", "c_allgather",
    "c_reducescatter", "allreduce", "broadcast",
)  # fmt: skip
_agreed: set[tuple] = set()


def _start(X: list[Tensor]) -> Tensor: ...


def _wait(Started: Tensor) -> list[Tensor]: ...


def _compare() -> None: ...


# Their kernels are made per bucket.
START = OpDef(_start, "Started", type="start_exchange", nograd="*", lod=None, side_effect=True)
WAIT = OpDef(_wait, "Out", type="wait_for_exchange", nograd="*", lod=None, side_effect=True, duplicable="Out")
COMPARE = OpDef(_compare, "", type="compare_ranks", nograd="*", side_effect=True)


def exchange_in_buckets(steps: list[Step], block: Block) -> list[Step]:
    """The steps with sums of gradients merged, and a comparison of ranks before the first exchange."""
    exchanges = [op for op in block.ops if op.type in _EXCHANGES]
    if not exchanges:
        return steps
    steps = [step for step in steps if not _is_identity(step.operator)]
    buckets = list(_buckets(block))
    last = {id(group[-1]): group for group in buckets}
    inside = {id(op) for group in buckets for op in group}
    result: list[Step] = []
    waiting: list[tuple[set[str], Step]] = []  # what a bucket will give, and the step that waits for it
    compared = False
    for step in steps:
        if not compared and step.op.type in _EXCHANGES:
            result.append(_comparison(step.operator, exchanges))
            compared = True
        waiting = _wait_where_needed(step, waiting, result)
        if id(step.operator) not in inside or step.op.type != "c_allreduce_sum":
            result.append(step)
        elif id(step.operator) in last:
            start, wait, names = _steps(last[id(step.operator)], block, len(result))
            result.append(start)
            waiting.append((names, wait))
    return [*result, *(wait for _, wait in waiting)]


def _wait_where_needed(step: Step, waiting: list[tuple[set[str], Step]], result: list[Step]) -> list:
    touched = {*step.reads(), *step.writes()}
    left = []
    for names, wait in waiting:
        if names & touched:
            result.append(wait)
        else:
            left.append((names, wait))
    return left


# -- which sums go together -----------------------------------------------------------------------------------------


def _buckets(block: Block) -> Iterator[list[Operator]]:
    """Groups of sums of one ring and dtype with nothing between them that reads or changes what they sum."""
    open_groups: dict[Any, list[Operator]] = {}
    first = True
    for op in block.ops:
        if _is_identity(op):
            continue
        kind = _kind(op, block)
        touched = _touched(op)
        for key, group in list(open_groups.items()):
            full = _size(group, block) + (_size([op], block) if key == kind else 0) > (FIRST_BYTES if first else BYTES)
            if touched & {name for one in group for name in one.input("X")} or (key == kind and full):
                yield open_groups.pop(key)
                first = False
        if kind is not None:
            open_groups.setdefault(kind, []).append(op)
    yield from open_groups.values()


def _kind(op: Operator, block: Block) -> Any:
    """(ring, dtype) of a sum in place of a dense variable whose size is known; None of anything else."""
    if op.type != "c_allreduce_sum" or op.input("X") != op.output("Out"):
        return None
    var = block.find_var(op.input("X")[0])
    if var is None or var.persistable or var.type != VarType.LOD_TENSOR or any(size < 0 for size in var.shape):
        return None
    return op.attrs["ring_id"], var.dtype


def _size(ops: list[Operator], block: Block) -> int:
    return sum(_layout(op, block).numel() * _layout(op, block).dtype.itemsize for op in ops)


def _layout(op: Operator, block: Block) -> Layout:
    var = block.find_var(op.input("X")[0])
    assert var is not None
    made = torch.empty(tuple(var.shape), dtype=dtypes.TORCH[var.dtype], device="meta")
    return Layout(tuple(made.shape), made.stride(), made.dtype, torch.device("cpu"))


def _is_identity(op: Operator) -> bool:
    return op.type in _SYNCS and op.input("X") == op.output("Out")


def _touched(op: Operator) -> set[str]:
    found = {*op.input_arg_names, *op.output_arg_names}
    return found.union(*(_touched(inner) for inner in op.sub_block.ops)) if op.sub_block is not None else found


# -- the steps ------------------------------------------------------------------------------------------------------


def _steps(group: list[Operator], block: Block, number: int) -> tuple[Step, Step, set[str]]:
    bucket = _memory(group, block)
    ring_id = group[0].attrs["ring_id"]
    what = f"gradients from {group[0].input('X')[0]} to {group[-1].input('X')[0]}"

    def start(X: list[Tensor]) -> Exchange:
        for i, value in enumerate(X):
            bucket.lay_out(i, value.stride())
            bucket.put(i, value)
        return rings.get(ring_id).all_reduce(bucket.flat, what=what)

    def wait(Started: Exchange) -> list[Tensor]:
        Started.wait()
        return list(bucket.views)

    names: list[str | None] = [op.input("X")[0] for op in group]
    started: list[str | None] = [f"exchange_{number}"]
    operator = group[-1]
    return (
        Step(START, operator, [names], [started], {}, kernel=start, label="start_exchange"),
        Step(WAIT, operator, [started], [list(names)], {}, kernel=wait, label="wait_for_exchange"),
        {name for name in names if name},
    )


def _memory(group: list[Operator], block: Block) -> Bucket:
    """The plans of a program, one for every list of fetches, share it: they never run at the same time."""
    key = ("bucket", *(op.input("X")[0] for op in group))
    plans = block.program.plans
    if key not in plans:
        plans[key] = Bucket([_layout(op, block) for op in group])
    return plans[key]


def _comparison(operator: Operator, exchanges: list[Operator]) -> Step:
    lines = tuple(_line(op) for op in exchanges)
    ring_id = operator.attrs.get("ring_id", 0)

    def compare() -> None:
        ring = rings.get(ring_id)
        key = (id(ring), *lines)
        if key not in _agreed:
            agree(ring, "the exchanges of the programs", lines)
            _agreed.add(key)

    return Step(COMPARE, operator, [], [], {}, kernel=compare, label="compare_ranks")


def _line(op: Operator) -> str:
    name = op.input("X")[0]
    var = op.block.find_var(name)
    shape = list(var.shape) if var is not None else "?"
    return f"{op.type} of {name} {shape} on ring {op.attrs.get('ring_id', 0)}"


passes.of_other_folders.append(exchange_in_buckets)
