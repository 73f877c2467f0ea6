"""The blocks of a server's program: the schedule of the learning rate, and the update of a piece of a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.core.dtypes import VarType
from refluid.distributed.transpile.pserver.delay import compensate
from refluid.distributed.transpile.pserver.job import Job, Piece
from refluid.distributed.transpile.pserver.updates import is_update, role_vars, schedule_ops
from refluid.ir.block import Block
from refluid.ir.clone import copy_operator
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.roles import ROLE, OpRole

if TYPE_CHECKING:
    from refluid.ir.variable import Variable


class ServerProgram:
    """A program being written, with what is needed to translate operators of `source` for it."""

    def __init__(self, job: Job, source: Block, endpoint: str):
        self.job, self.source = job, source
        self.program = Program()
        self.home = self.program.global_block()
        self.pieces = job.at(endpoint)
        self.endpoint = endpoint
        self.grad_blocks: list[str] = []  # "gradient:block"
        self.sparse: list[str] = []  # "gradient:parameter"
        self.backups: dict[str, list[Any]] = {}
        # What parameters and gradients are called here; a trainer's names of gradients lead to the same.
        self.names = {piece.origin: piece.param.name for piece in self.pieces}
        for piece in self.pieces:
            self.names[piece.grad_origin] = self.names[piece.grad.name] = piece.served_grad

    def pieces_of(self, param: str) -> list[Piece]:
        """The pieces of a parameter on this server: one, unless a dispatcher assigns several."""
        return [piece for piece in self.pieces if piece.origin == param]

    def local(self, name: str, piece: Piece | None = None) -> str:
        """The name here of a variable of the source, which is declared if it is not yet.

        A variable with the shape of a split parameter (states, decay) gets the shape of the piece.
        """
        local_name = (self.names if piece is None else self.job.names_at(piece)).get(name, name)
        if not self.home.has_var(local_name):
            var = self.source.vars[name]
            declared = self._declare(var, local_name)
            if piece is not None and piece.cut and tuple(var.shape) == tuple(self.source.vars[piece.origin].shape):
                declared.shape = piece.param.shape
        return local_name

    def _declare(self, var: Any, name: str) -> Variable:
        if name == var.name:
            return self.home._clone_variable(var)
        about = {"type": var.type, "shape": var.shape, "dtype": var.dtype, "lod_level": var.lod_level}
        return self.home.create_var(name=name, persistable=True, **about)

    def put(self, block: Block, op: Operator, piece: Piece | None = None) -> Operator:
        """Append an operator of the source, with the names of here."""
        copied = copy_operator(block, op)
        del copied.attrs["op_namescope"]  # servers have none
        copied.inputs = {slot: [self.local(name, piece) for name in names] for slot, names in op.inputs.items()}
        copied.outputs = {slot: [self.local(name, piece) for name in names] for slot, names in op.outputs.items()}
        block.record(copied)
        return copied


def write_schedule(server: ServerProgram) -> Block | None:
    """The block that computes learning rates; None if they are constant."""
    ops = schedule_ops(server.source)
    if not ops:
        return None
    block = server.program._create_block(server.program.num_blocks - 1)
    for op in ops:
        _with_inner_blocks(server, server.put(block, op), block)
    return block


def _with_inner_blocks(server: ServerProgram, op: Operator, home: Block) -> None:
    """Give a copied operator a copy of its block."""
    if op.sub_block is None:
        return
    block = server.program._create_block(home.idx)
    for inner in op.sub_block.ops:
        copied = copy_operator(block, inner)
        del copied.attrs["op_namescope"]
        for name in (*inner.input_arg_names, *inner.output_arg_names):
            block._clone_variable(op.sub_block._var_recursive(name))
        block.record(copied)
        _with_inner_blocks(server, copied, block)
    op.attrs["sub_block"] = block


def write_update(server: ServerProgram, block: Block, piece: Piece) -> None:
    """Sum the gradients of all trainers; then decay and update the parameter."""
    merged = piece.served_grad
    server.grad_blocks.append(f"{merged}:{block.idx}")
    if server.job.sums:
        _mean(block, merged, server.job.trainers)
    for op in server.source.ops:
        mine = int(op.attrs.get(ROLE, 0)) == OpRole.Optimize and role_vars(op)[:1] == [piece.origin]
        if not mine:
            continue
        written = _append_update(server, block, op, piece) if is_update(op) else server.put(block, op, piece)
        if is_update(op) and block._var_recursive(written.input("Grad")[0]).type == VarType.SELECTED_ROWS:
            server.sparse.append(f"{written.input('Grad')[0]}:{written.input('Param')[0]}")


def _mean(block: Block, merged: str, trainers: int) -> None:
    block.append_op(
        "sum", {"X": [f"{merged}.trainer_{i}" for i in range(trainers)]}, {"Out": merged}, {"use_mkldnn": False}
    )
    block.append_op("scale", {"X": merged}, {"Out": merged}, {"scale": 1.0 / trainers})


def _append_update(server: ServerProgram, block: Block, op: Operator, piece: Piece) -> Operator:
    update = server.put(block, op, piece)
    if server.backups:
        block.ops.remove(update)
        update.inputs["Grad"] = [compensate(block, piece, server.backups[piece.param.name])]
        block.record(update)
    return update
