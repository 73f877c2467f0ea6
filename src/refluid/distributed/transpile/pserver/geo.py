"""Geo-SGD: trainers update their parameters, and send deltas to servers every few steps."""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import VarType
from refluid.distributed.transpile.config import DistributedMode
from refluid.distributed.transpile.pserver.cutting import make_pieces, piece_rows
from refluid.distributed.transpile.pserver.job import Job, Piece
from refluid.distributed.transpile.pserver.server import declare_like, listen
from refluid.distributed.transpile.pserver.trainer import control_var
from refluid.distributed.transpile.pserver.trainer_startup import write_startup
from refluid.ir.block import Block
from refluid.ir.program import Program


def cut_for_geo(job: Job) -> None:
    """Split parameters, always; assign the pieces in their order."""
    block = job.main.global_block()
    for param, grad in job.updates.pairs:
        if not getattr(param, "trainable", True):
            continue
        rows = piece_rows(param, len(job.endpoints), job.config.min_block_size)
        first = 0
        for number, piece in enumerate(make_pieces(block, param, rows)):
            job.pieces.append(Piece(piece, grad, param.name, grad.name, number, first, cut=len(rows) > 1))
            first += rows[number]
    job.dealt = list(job.pieces)
    endpoints = job.config.split_method(job.endpoints).dispatch([piece.param for piece in job.dealt])
    for piece, endpoint in zip(job.dealt, endpoints, strict=True):
        piece.endpoint = endpoint


def _moves_by_rows(piece: Piece) -> bool:
    return piece.grad.type == VarType.SELECTED_ROWS


def moved_name(name: str) -> str:
    """The variable of the delta of a parameter."""
    return f"{name}.delta"


def write_geo_trainer(job: Job) -> None:
    """Rewrite both programs of a trainer: `send` notifies the Communicator of a step's end and its rows."""
    block = job.main.global_block()
    moved = _declare_moved(job, block)
    ids, tables = _met_rows(job, block)
    block.append_op("send", {"X": ids}, {"Out": control_var(block)}, {"send_varnames": tables})
    write_startup(job, without=_made_by_communicator(block))
    startup = job.startup.global_block()
    for var in moved:
        startup.create_var(name=var.name, persistable=False, dtype=var.dtype, type=var.type, shape=var.shape)
    begun = startup.create_var(name="param_init", dtype="bool")
    startup.append_op("send", {"X": [begun]}, {"Out": control_var(startup)}, {"send_varnames": [begun.name]})


def _declare_moved(job: Job, block: Block) -> list[Any]:
    """Variables for the deltas of parameters, which are returned, and of their pieces."""
    deltas = []
    for origin, pieces in job.parameters.items():
        kind = VarType.SELECTED_ROWS if _moves_by_rows(pieces[0]) else block.vars[origin].type
        for var in [block.vars[origin], *(piece.param for piece in pieces if piece.cut)]:
            delta = block.create_var(
                name=moved_name(var.name), persistable=False, dtype=var.dtype, type=kind, shape=var.shape
            )
            if var.name == origin:
                deltas.append(delta)
    return deltas


def _met_rows(job: Job, block: Block) -> tuple[list[Any], list[str]]:
    """Ids that are looked up, and the tables they belong to."""
    sparse = {origin for origin, pieces in job.parameters.items() if _moves_by_rows(pieces[0])}
    met: dict[tuple[str, str], None] = {}
    for op in block.ops:
        if "is_sparse" not in op.attrs:
            continue
        if op.type == "lookup_table":
            op._set_attr("remote_prefetch", False)
        pairs = zip(op.input("Ids"), op.input("W"), strict=False)
        met.update(dict.fromkeys(pair for pair in pairs if pair[1] in sparse))
    return [block.vars[ids] for ids, _ in met], [table for _, table in met]


def _made_by_communicator(block: Block) -> set[str]:
    """Tables that the Communicator fetches at its start, not the startup program."""
    return {
        op.input("W")[0] for op in block.ops if op.type in ("lookup_table", "nce") and op.attrs.get("is_sparse") is True
    }


def geo_server_program(job: Job, endpoint: str) -> Program:
    """The program of a server: deltas are added to its pieces."""
    program = Program()
    program.random_seed = job.main.random_seed
    program._copy_dist_param_info_from(job.main)
    home = program.global_block()
    for piece in job.at(endpoint):
        declare_like(home, piece.param)
    blocks, grad_blocks, sparse = [], [], []
    for piece in job.at(endpoint):
        param = home.vars[piece.param.name]
        block = program._create_block(0)
        rows = _moves_by_rows(piece)
        name = moved_name(param.name)
        home.create_var(
            name=name, persistable=False, type=VarType.SELECTED_ROWS if rows else param.type, dtype=param.dtype,
            shape=param.shape,
        )  # fmt: skip
        block.append_op("sum", {"X": [param, name]}, {"Out": param})
        blocks.append(block)
        grad_blocks.append(f"{name}:{block.idx}")
        if rows:
            sparse.append(f"{name}:{param.name}")
    if not blocks:  # more servers than pieces
        blocks.append(program._create_block(0))
    listen(program, job, endpoint, [], blocks, DistributedMode.GEO, grad_blocks, sparse, {})
    return program


def about_variables(job: Job) -> dict[str, dict[str, list[str]]]:
    """The Communicator's description of every parameter, in Fluid's form."""
    return {
        origin: {
            "var_names": [piece.param.name for piece in pieces],
            "sections": [str(piece.param.shape[0]) for piece in pieces],
            "epmap": [piece.endpoint for piece in pieces],
            "is_sparse": [str(_moves_by_rows(pieces[0]))],
        }
        for origin, pieces in job.parameters.items()
    }
