"""Values that servers hold and a trainer does not, fetched for what a trainer saves."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import torch

from refluid.core.dtypes import TORCH
from refluid.core.errors import EnforceNotMet
from refluid.distributed.persist.remote import RemoteTable
from refluid.distributed.persist.save import remote_variables, tables_of
from refluid.distributed.persist.visit import visiting
from refluid.ir.program import Program
from refluid.tensor.lod_tensor import LoDTensor

if TYPE_CHECKING:
    from refluid.distributed.server.trainer import Trainer


def fetched(what: str, program: Program, names: Collection[str]) -> dict[str, Any]:
    """Those of `names` that only servers of a trainer's program have: tensors, and the rows of distributed tables."""
    dense = {name: one for name, one in remote_variables(program).items() if name in names}
    sparse = [name for name in tables_of(program) if name in names]
    if not dense and not sparse:
        return {}
    with visiting(what, 0, program._endpoints) as trainer:
        found: dict[str, Any] = {name: LoDTensor.of(one.value(trainer)) for name, one in dense.items()}
        for name in sparse:
            found[name] = _table(what, trainer, program, name)
    return found


def _table(what: str, trainer: Trainer, program: Program, name: str) -> Any:
    about = program.global_block()._var_recursive(name)
    height, *shape = about.shape
    dtype: torch.dtype = TORCH[about.dtype]
    table = RemoteTable(name, dtype, tuple(shape), height, list(program._endpoints))
    needed, there = table.rows(trainer) * (8 + math.prod(shape) * dtype.itemsize), _free_memory()
    if there is not None and needed > there:
        raise EnforceNotMet(
            f"{what}: the table {name} has {table.rows(trainer)} rows on its servers, {needed >> 20} MB, but this "
            f"machine has {there >> 20} MB of free memory; save_persistables lets every server write its own rows"
        )
    return table.value(trainer)


def _free_memory() -> int | None:
    try:
        with open("/proc/meminfo") as file:
            lines = dict(line.split(":", 1) for line in file)
    except OSError:
        return None
    return int(lines["MemAvailable"].split()[0]) << 10 if "MemAvailable" in lines else None
