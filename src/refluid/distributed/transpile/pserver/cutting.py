"""Splits parameters and gradients into pieces, and assigns the pieces to servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.distributed.transpile.pieces import slice_variable
from refluid.distributed.transpile.pserver.job import Job, Piece
from refluid.ir.block import Block

if TYPE_CHECKING:
    from refluid.ir.variable import Variable


def cut(job: Job) -> None:
    """Make the pieces of all parameters that are trained by servers, and assign them."""
    block = job.main.global_block()
    suffix = f".trainer_{job.trainer_id}" if job.sync and job.trainers > 1 else ""
    count = len(job.endpoints) if job.config.slice_var_up else 1
    for param, grad in job.updates.pairs:
        if param.name == job.table or not getattr(param, "trainable", True):
            continue
        origin, grad_origin = param.name, grad.name
        rows = piece_rows(param, count, job.config.min_block_size)
        params = make_pieces(block, param, rows)
        grads = make_pieces(block, grad, rows, suffix)
        first = 0
        for number, height in enumerate(rows):
            job.pieces.append(
                Piece(params[number], grads[number], origin, grad_origin, number, first, cut=len(rows) > 1)
            )
            first += height
    deal(job)


def piece_rows(var: Variable, count: int, min_size: int) -> list[int]:
    """How many rows every piece of a variable has."""
    width = int(np.prod(var.shape[1:])) if len(var.shape) >= 2 else 1
    return [int(text.rsplit(":", 1)[1]) // width for text in slice_variable([var], count, min_size)]


def make_pieces(block: Block, var: Variable, rows: list[int], suffix: str = "") -> list[Any]:
    """Variables for the pieces; one that stays whole is its own piece, renamed if a suffix is asked for."""
    if len(rows) == 1:
        return [block._rename_var(var.name, var.name + suffix) if suffix else var]
    return [
        block.create_var(
            name=f"{var.name}.block{number}{suffix}", persistable=False, dtype=var.dtype, type=var.type,
            shape=[height, *var.shape[1:]],
        )
        for number, height in enumerate(rows)
    ]  # fmt: skip


def deal(job: Job) -> None:
    """Assign pieces to servers; the dispatcher is called once, for parameters and gradients alike."""
    names = list(job.parameters)
    if not job.config.slice_var_up:
        # Weights would be on one half of the servers, biases on the other. The user's random numbers stay untouched.
        np.random.RandomState(job.main.random_seed).shuffle(names)
    job.dealt = [piece for name in names for piece in job.parameters[name]]
    endpoints = job.config.split_method(job.endpoints).dispatch([piece.param for piece in job.dealt])
    for piece, endpoint in zip(job.dealt, endpoints, strict=True):
        piece.endpoint = endpoint
