"""Fetches values that only servers hold, for a trainer that saves."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from refluid.core.dtypes import TORCH
from refluid.core.errors import EnforceNotMet
from refluid.distributed.persist.remote import RemoteTable
from refluid.distributed.persist.save import remote_variables, tables_of
from refluid.distributed.persist.visit import visiting
from refluid.ir.program import Program
from refluid.tensor.lod_tensor import LoDTensor


def fetched(what: str, program: Program, names: Collection[str]) -> dict[str, Any]:
    """Those of `names` that only servers of a trainer's program have: tensors, and the rows of distributed tables."""
    dense = {name: one for name, one in remote_variables(program).items() if name in names}
    sparse = [name for name in tables_of(program) if name in names]
    if not dense and not sparse:
        return {}
    with visiting(what, 0, program._endpoints) as trainer:
        tables = [_table(program, name) for name in sparse]
        rows = {table.name: table.rows(trainer) for table in tables}
        sizes = {f"the parameter {name}": one.bytes() for name, one in dense.items()}
        for table in tables:
            count = sum(rows[table.name].values())
            sizes[f"the table {table.name} of {count} rows"] = table.bytes(count)
        _check_that_they_fit(what, sizes)
        tensors: dict[str, Any] = {name: LoDTensor.of(one.value(trainer)) for name, one in dense.items()}
        tensors.update((table.name, table.value(trainer, rows[table.name])) for table in tables)
    return tensors


def _table(program: Program, name: str) -> RemoteTable:
    about = program.global_block()._var_recursive(name)
    height, *shape = about.shape
    return RemoteTable(name, TORCH[about.dtype], tuple(shape), height, list(program._endpoints))


def _check_that_they_fit(what: str, sizes: dict[str, int]) -> None:
    needed, there = sum(sizes.values()), _free_memory()
    if there is None or needed <= there:
        return
    largest = max(sizes, key=lambda name: sizes[name])
    raise EnforceNotMet(
        f"{what}: what servers hold has {_megabytes(needed)}, of which {largest} has {_megabytes(sizes[largest])}, but "
        f"this machine has {_megabytes(there)} of free memory; save_persistables lets every server write the rows of "
        "its tables, and writes parameters piece by piece"
    )


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.3g} MB" if size < 2**20 * 100 else f"{size >> 20} MB"


def _free_memory() -> int | None:
    try:
        with open("/proc/meminfo") as file:
            lines = dict(line.split(":", 1) for line in file)
    except OSError:
        return None
    return int(lines["MemAvailable"].split()[0]) << 10 if "MemAvailable" in lines else None
