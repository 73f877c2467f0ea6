"""The startup program of a trainer: parameters come from the servers."""

from __future__ import annotations

from collections.abc import Collection

from refluid.distributed.transpile.pserver.job import Job
from refluid.distributed.transpile.pserver.trainer import RPC, control_var, put_together


def write_startup(job: Job, without: Collection[str] = ()) -> None:
    """Append what fetches all parameters; tables that servers keep (`without`, and remote ones) are left out."""
    block = job.startup.global_block()
    for origin, pieces in job.parameters.items():
        if origin in job.remote or origin in without:
            continue
        for piece in pieces:
            param = piece.param
            block.create_var(
                name=param.name, persistable=False, type=param.type, dtype=param.dtype, shape=param.shape,
                lod_level=param.lod_level,
            )  # fmt: skip
        names = [piece.param.name for piece in pieces]
        attrs = {"epmap": [piece.endpoint for piece in pieces], "trainer_id": job.trainer_id, **RPC}
        block.append_op("recv", {"X": []}, {"Out": names}, attrs)
    attrs = {"endpoints": job.endpoints, "trainer_id": job.trainer_id, **RPC}
    block.append_op("fetch_barrier", {}, {"Out": control_var(block)}, attrs)
    for origin, pieces in job.parameters.items():
        if pieces[0].cut and not block.has_var(origin):  # memory_optimize may have dropped it
            block._clone_variable(job.main.global_block().vars[origin], force_persistable=False)
    put_together(job, block, {}, without)
