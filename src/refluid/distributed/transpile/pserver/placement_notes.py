"""The placement of pieces, recorded in a transpiled program for saving and loading."""

from __future__ import annotations

import math

from refluid.core.errors import ArgumentError
from refluid.distributed.transpile.placement import VarsDistributed, VarStruct
from refluid.distributed.transpile.pserver.job import PIECEWISE, Job, Piece
from refluid.distributed.transpile.pserver.updates import is_update, schedule_ops
from refluid.ir.operator import Operator

_NO_STATE = frozenset({"Param", "Grad", "LearningRate", "Beta1Tensor", "Beta2Tensor"})


def note_parameters(job: Job) -> VarsDistributed:
    """Every piece of every parameter with its server."""
    notes = VarsDistributed()
    block = job.main.global_block()
    for piece in job.pieces:
        width = math.prod(piece.param.shape[1:])
        kind = "RemotePrefetch" if piece.origin in job.remote else "Param"
        notes.add_distributed_var(
            block.vars[piece.origin], piece.param, piece.cut, piece.number, piece.first_row * width, kind,
            piece.endpoint,
        )  # fmt: skip
    return notes


def note_states(job: Job, notes: VarsDistributed) -> None:
    """The states of optimizers, piece by piece too where they have the shape of their parameter."""
    for endpoint in job.endpoints:
        for op in filter(is_update, job.updates.ops):
            for piece in job.at(endpoint):
                if piece.origin == op.input("Param")[0]:
                    check_piecewise(op)
                    _note_states_of(job, notes, op, piece)


def note_counters(job: Job, notes: VarsDistributed) -> None:
    """The steps that schedules count; every server counts them."""
    block = job.main.global_block()
    made = dict.fromkeys(name for op in schedule_ops(block) for name in op.output_arg_names)
    for name in made:
        if block.vars[name].persistable and name in job.startup.global_block().vars:
            notes.add_counter(block.vars[name])


def check_piecewise(op: Operator) -> None:
    """Refuse an update that servers cannot do."""
    if op.type not in PIECEWISE:
        raise ArgumentError(
            f"transpile: parameter servers update by {', '.join(sorted(PIECEWISE))}, but the program has {op.type}"
        )


def _note_states_of(job: Job, notes: VarsDistributed, op: Operator, piece: Piece) -> None:
    block = job.main.global_block()
    whole = tuple(block.vars[piece.origin].shape)
    for slot in op.input_names:
        if slot in _NO_STATE:
            continue
        var = block.vars[op.input(slot)[0]]
        name = job.names_at(piece).get(var.name, var.name)
        shape = piece.param.shape if tuple(var.shape) == whole else var.shape
        part = VarStruct(name, shape, var.dtype, var.type, var.lod_level, var.persistable)
        if tuple(var.shape) != whole:
            notes.add_distributed_var(var, part, False, 0, 0, "Optimizer", piece.endpoint)
            continue
        offset = piece.first_row * math.prod(whole[1:])
        notes.add_distributed_var(var, part, piece.cut, piece.number, offset, "Optimizer", piece.endpoint)
