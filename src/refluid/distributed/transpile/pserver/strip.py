"""Removes from a trainer's programs what servers do."""

from __future__ import annotations

from collections.abc import Iterable

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.lookup import Placement
from refluid.distributed.transpile.details import delete_ops
from refluid.distributed.transpile.pserver.job import Job
from refluid.distributed.transpile.pserver.table import exchanged
from refluid.distributed.transpile.pserver.updates import role_vars, schedule_ops
from refluid.ir.block import Block


def strip_trainer(job: Job) -> None:
    """Remove updates, schedules and their states from both programs; tables that servers keep are not made here."""
    main, startup = job.main.global_block(), job.startup.global_block()
    paired = {name for op in job.updates.ops for name in role_vars(op)}
    states = {name for op in job.updates.ops for name in op.input_arg_names} - paired
    delete_ops(startup, [op for op in startup.ops if states & set(op.output_arg_names)])
    _remove_vars(startup, states)
    tables = list(job.remote) + ([job.table] if job.table else [])
    for name in tables:
        _stand_in(startup, name)
    job.startup._remote_tables = placements(job)
    delete_ops(main, schedule_ops(main))
    delete_ops(main, [op for op in main.ops if any(op is update for update in job.updates.ops)])
    _remove_vars(main, states)


def placements(job: Job) -> dict[str, Placement]:
    """Where the rows of the tables are that this trainer does not have."""
    tables = {
        name: Placement(
            tuple(piece.param.name for piece in pieces),
            tuple(piece.endpoint for piece in pieces),
            tuple(piece.param.shape[0] for piece in pieces),
        )
        for name, pieces in job.remote.items()
    }
    if job.table is not None:
        tables[job.table] = Placement(tuple(exchanged("in", job)), tuple(job.endpoints))
    return tables


def _remove_vars(block: Block, names: Iterable[str]) -> None:
    for name in names:
        if block.has_var(name):
            block._remove_var(name)


def _stand_in(startup: Block, table: str) -> None:
    makers = [op for op in startup.ops if table in op.output_arg_names]
    if len(makers) != 1:
        raise EnforceNotMet(
            f"get_trainer_program: the startup program must initialise the table {table} once, but "
            f"{len(makers)} operators write it"
        )
    shape = list(startup.vars[table].shape)
    delete_ops(startup, makers)
    startup.append_op("fake_init", {}, {"Out": table}, {"shape": shape})
