"""Delay compensation (DC-ASGD): a late gradient is corrected by the delta of the parameter since it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.core import unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import EnforceNotMet
from refluid.distributed.transpile.pserver.job import Piece
from refluid.ir.block import Block

if TYPE_CHECKING:
    from refluid.distributed.transpile.pserver.server_updates import ServerProgram


def backups_of(server: ServerProgram) -> dict[str, list[Any]]:
    """A copy of every parameter per trainer: what it has seen last."""
    if server.job.sync:
        raise EnforceNotMet("enable_dc_asgd corrects late gradients: it requires sync_mode=False")
    return {
        piece.param.name: [
            server.home.create_var(
                name=f"{piece.param.name}.trainer_{number}_bak", type=piece.param.type, shape=piece.param.shape,
                dtype=piece.param.dtype,
            )
            for number in range(server.job.trainers)
        ]
        for piece in server.pieces
    }  # fmt: skip


def compensate(block: Block, piece: Piece, backups: list[Any]) -> str:
    """grad + (param - seen) * grad * grad; returns its name."""
    param, grad = piece.param, piece.served_grad
    about = {"shape": param.shape, "type": param.type, "dtype": param.dtype, "persistable": False}
    seen = block.create_var(name=f"{param.name}.local_bak", **about)
    trainer = block.create_var(name="@TRAINER_ID@", dtype=VarType.INT64, shape=[1], persistable=False)
    block.append_op("ref_by_trainer_id", {"X": backups, "TrainerId": trainer}, {"Out": seen})

    def step(op_type: str, x: object, y: object) -> Any:
        corrected = block.create_var(name=unique_name.generate("tmp_dc_output"), **about)
        block.append_op(op_type, {"X": x, "Y": y}, {"Out": corrected})
        return corrected

    moved = step("elementwise_sub", param.name, seen)
    squared = step("elementwise_mul", step("elementwise_mul", moved, grad), grad)
    return step("elementwise_add", grad, squared).name
