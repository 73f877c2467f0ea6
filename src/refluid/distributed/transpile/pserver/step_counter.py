"""The step counter of a schedule in asynchronous training: servers sum the steps of all trainers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.distributed.transpile.pserver.job import Job
from refluid.distributed.transpile.pserver.updates import schedule_ops
from refluid.ir.operator import Operator
from refluid.ir.roles import ROLE, OpRole
from refluid.params.initializer import ConstantInitializer

if TYPE_CHECKING:
    from refluid.ir.variable import Variable


def count_steps_of_all(job: Job) -> Any:
    """Make the counter of a schedule the sum of one per trainer; returns this trainer's, None without a schedule."""
    block = job.main.global_block()
    own = None
    for op in [op for op in schedule_ops(block) if op.type == "increment"]:
        total = block.vars[op.output("Out")[0]]
        counters = [_counter(job, total, number) for number in range(job.trainers)]
        own = counters[job.trainer_id] if job.trainer_id < job.trainers else None  # a server may have any number
        index = block.ops.index(op)
        block._remove_op(index)
        attrs = {ROLE: int(OpRole.LRSched)}
        block._insert_op(index, "sum", {"X": counters}, {"Out": total}, attrs)
        _begin_below_zero(job, total)
    job.counter = own
    return own


def _counter(job: Job, total: Any, number: int) -> Variable:
    """One that is 1 before the first step of its trainer, in both programs."""
    about = {
        "name": f"{total.name}.trainer_{number}", "type": total.type, "shape": total.shape, "dtype": total.dtype,
        "persistable": total.persistable,
    }  # fmt: skip
    job.startup.global_block().create_var(**about, initializer=ConstantInitializer(1))
    return job.main.global_block().create_var(**about)


def _begin_below_zero(job: Job, total: Variable) -> None:
    for op in job.startup.global_block().ops:
        if op.type == "fill_constant" and _writes(op, total.name):
            op._set_attr("value", float(-job.trainers))


def _writes(op: Operator, name: str) -> bool:
    return name in op.output_arg_names
