"""The main program of a server: listen_and_serv, and a block for every piece of a parameter that it holds."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from refluid.distributed.transpile.pserver.delay import backups_of
from refluid.distributed.transpile.pserver.job import Job
from refluid.distributed.transpile.pserver.server_updates import ServerProgram, write_schedule, write_update
from refluid.distributed.transpile.pserver.table import serve_table
from refluid.distributed.transpile.pserver.updates import is_update
from refluid.ir.block import Block
from refluid.ir.program import Program

if TYPE_CHECKING:
    from refluid.ir.variable import Variable


def server_program(job: Job, source: Program, endpoint: str) -> Program:
    """The program of a server; `source` is the main program with everything that servers do."""
    server = ServerProgram(job, source.global_block(), endpoint)
    program = server.program
    program.random_seed = source.random_seed
    program._copy_dist_param_info_from(job.main)
    program._ps_endpoint = endpoint
    arriving = _declare(server)
    if job.config.enable_dc_asgd:
        server.backups = backups_of(server)
    blocks: list[Block] = []
    attrs: dict[str, Any] = {"lr_decay_block_id": -1}
    schedule = write_schedule(server)
    if schedule is not None:
        blocks.append(schedule)
        attrs["lr_decay_block_id"] = schedule.idx
    parent = program.num_blocks - 1
    for op in server.source.ops:
        for piece in server.pieces_of(op.input("Param")[0]) if is_update(op) else ():
            block = program._create_block(parent)
            blocks.append(block)
            write_update(server, block, piece)
    if job.table is not None:
        blocks.append(serve_table(server, parent, attrs))
    if not blocks:  # more servers than pieces
        blocks.append(program._create_block(program.num_blocks - 1))
    if job.config.enable_dc_asgd:
        attrs["dc_asgd"] = True
    attrs["pserver_id"] = job.endpoints.index(endpoint)
    listen(server.program, job, endpoint, arriving, blocks, job.mode, server.grad_blocks, server.sparse, attrs)
    return program


def listen(
    program: Program, job: Job, endpoint: str, arriving: list[Any], blocks: list[Block], mode: int,
    grad_blocks: list[str], sparse: list[str], attrs: dict[str, Any],
) -> None:  # fmt: skip
    """Append listen_and_serv."""
    program.current_block_idx = 0
    threads = job.server_config
    program.global_block().append_op("listen_and_serv", {"X": arriving}, {}, {
        "optimize_blocks": blocks,
        "endpoint": endpoint,
        "Fanin": job.trainers,
        "distributed_mode": mode,
        "grad_to_block_id": list(dict.fromkeys(grad_blocks)),
        "sparse_grad_to_param": sparse,
        "rpc_get_thread_num": threads._rpc_get_thread_num,
        "rpc_send_thread_num": threads._rpc_send_thread_num,
        "rpc_prefetch_thread_num": threads._rpc_prefetch_thread_num,
        **copy.copy(attrs),
    })  # fmt: skip


def _declare(server: ServerProgram) -> list[Any]:
    """Variables for parameters and gradients; returns those that arrive."""
    home = server.home
    for piece in server.pieces:
        declare_like(home, piece.param)
    arriving = []
    for piece in server.pieces:
        grad = piece.grad
        about: dict[str, Any] = {"type": grad.type, "dtype": grad.dtype, "shape": grad.shape}
        merged = home.create_var(name=piece.served_grad, persistable=True, **about)
        if not server.job.sums:
            arriving.append(merged)
            continue
        for number in range(server.job.trainers):
            name = f"{piece.served_grad}.trainer_{number}"
            arriving.append(home.create_var(name=name, persistable=False, **about))
    return arriving


def declare_like(block: Block, var: Variable) -> Variable:
    """A persistable variable of the same name and kind."""
    return block.create_var(
        name=var.name, shape=var.shape, dtype=var.dtype, type=var.type, lod_level=var.lod_level, persistable=True
    )
