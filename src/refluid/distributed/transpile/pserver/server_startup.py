"""The startup program of a server: initial values of its variables."""

from __future__ import annotations

import math
from typing import Any

from refluid.distributed.server.row_init import INITIALIZERS
from refluid.distributed.transpile.pserver.job import Job, Piece
from refluid.ir.block import Block
from refluid.ir.clone import copy_operator
from refluid.ir.operator import Operator
from refluid.ir.program import Program

_OF_TRAINERS = frozenset({"recv", "fetch_barrier", "concat", "send"})
_VALUES = ("fp32_values", "int32_values", "int64_values", "bool_values")


def server_startup(job: Job, source: Program, endpoint: str, main: Program) -> Program:
    """Initialise all variables of a server's main program as `source` does; pieces get their part."""
    program = Program()
    program.random_seed = source.random_seed
    block, here = program.global_block(), main.global_block().vars
    for var in here.values():
        block._clone_variable(var)
    pieces = [(piece, job.names_at(piece)) for piece in job.at(endpoint)]
    for op in source.global_block().ops:
        if op.type in _OF_TRAINERS or not op.output_arg_names:
            continue
        for piece, names in _wanted(op.output_arg_names[0], pieces, here):
            copied = copy_operator(block, op)
            copied.outputs = {slot: [names.get(name, name) for name in given] for slot, given in op.outputs.items()}
            for name in copied.input_arg_names:  # few have any
                if not block.has_var(name):
                    block._clone_variable(source.global_block().vars[name], force_persistable=False)
            _fit(copied, block, piece)
            block.record(copied)
    if job.config.enable_dc_asgd:
        _copy_to_backups(job, block, endpoint)
    return program


def _wanted(
    name: str, pieces: list[tuple[Piece, dict[str, str]]], here: Any
) -> list[tuple[Piece | None, dict[str, str]]]:
    """The pieces that an initializing operator is needed for, and their names."""
    found: list[tuple[Piece | None, dict[str, str]]] = [one for one in pieces if name in one[1]]
    whole = name in here and not any(piece.origin == name and piece.cut for piece, _ in pieces)
    return found if not whole or any(names[name] == name for _, names in found) else [(None, {}), *found]


def _fit(op: Operator, block: Block, piece: Piece | None) -> None:
    """Set the shape of an initializing operator to that of the piece."""
    shape = list(block.vars[op.output_arg_names[0]].shape)
    if op.type in INITIALIZERS:
        op.attrs["shape"] = shape
    elif op.type == "assign_value" and piece is not None and piece.cut:
        width = math.prod(shape[1:])
        begin, end = piece.first_row * width, (piece.first_row + shape[0]) * width
        op.attrs["shape"] = shape
        for kind in _VALUES:
            if op.attrs.get(kind):
                op.attrs[kind] = op.attrs[kind][begin:end]


def _copy_to_backups(job: Job, block: Block, endpoint: str) -> None:
    """Initially every trainer has seen the initial values."""
    for piece in job.at(endpoint):
        for number in range(job.trainers):
            backup: Any = f"{piece.param.name}.trainer_{number}_bak"
            block.append_op("assign", {"X": piece.param.name}, {"Out": backup})
