"""save_persistables of a trainer: gathers the variables of servers into the files that one process would write."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError, DtypeError
from refluid.distributed.persist.remote import RemoteVariable
from refluid.distributed.persist.tables import FOLDER, save_tables
from refluid.distributed.persist.visit import visiting
from refluid.distributed.transpile.placement import VarsDistributed
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.saving.files import saving
from refluid.saving.variables import is_persistable, write_vars

if TYPE_CHECKING:
    from refluid.executor.executor import Executor

_WHAT = "save_persistables"


def save_distributed(executor: Executor, dirname: str, main_program: Program) -> None:
    """Write the persistable variables of a trainer's program, a file each; all appear, or none does.

    Every trainer writes what it holds itself: parameters, as it has received them. The first (`trainer_id` 0) fetches
    from servers the states of optimizers, parameters whose rows are looked up there, and the step of schedules; it
    lets servers write their rows of distributed tables into `dirname/__lookup_table__`, a path of their machines.
    """
    program = distributed_program("_save_distributed_persistables", main_program)
    remote = remote_variables(program) if program._is_chief else {}
    tables = tables_of(program) if program._is_chief else []
    with saving(dirname) as save:
        write_vars(save, _WHAT, _local(program), None)
        if remote or tables:
            with visiting(_WHAT, 0, program._endpoints) as trainer:
                for name, variable in remote.items():
                    with save.open(name) as file:
                        variable.write(file, trainer)
                save_tables(trainer, program._endpoints, os.path.join(dirname, FOLDER), tables)


def distributed_program(what: str, program: Program) -> Program:
    """The program, if a transpiler has written it for parameter servers."""
    if not isinstance(program, Program):
        raise DtypeError(f"{what}: main_program must be a Program, got {type(program).__name__}")
    if not program._is_distributed:
        raise ArgumentError(f"{what}: main_program is for one process; DistributeTranspiler makes those with servers")
    return program


def remote_variables(program: Program) -> dict[str, RemoteVariable]:
    """What servers hold and a trainer does not, by name."""
    notes: VarsDistributed = program._parameters_on_pservers
    groups = notes.get_distributed_vars_by_vtypes(["Optimizer", "RemotePrefetch"], groupby=True)
    variables = {name: RemoteVariable.of(pieces) for name, pieces in groups.items()}
    for counter in notes.counters:
        variables[counter.name] = RemoteVariable.whole(counter, program._endpoints[0])
    return variables


def tables_of(program: Program) -> list[str]:
    """The distributed tables."""
    named: Any = program._distributed_lookup_table
    return [named] if isinstance(named, str) else list(named or ())


def _local(program: Program) -> list[Variable]:
    elsewhere = {*_noted(program), *tables_of(program)}
    return [var for var in program.list_vars() if is_persistable(var) and var.name not in elsewhere]


def _noted(program: Program) -> set[str]:
    notes: VarsDistributed = program._parameters_on_pservers
    of_servers = notes.get_distributed_vars_by_vtypes(["Optimizer", "RemotePrefetch"])
    return {one.origin.name for one in of_servers} | {counter.name for counter in notes.counters}
