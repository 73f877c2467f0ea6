"""load_persistables of a server: its pieces of the variables that a trainer has saved."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import torch

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.core.warn import warn_once
from refluid.distributed.persist.save import distributed_program
from refluid.distributed.persist.tables import FOLDER, put_tables, read_tables
from refluid.distributed.transpile.placement import VarDistributed, VarsDistributed
from refluid.ir.program import Program
from refluid.saving.files import inside, settle
from refluid.saving.tensor_file import RecordReader
from refluid.saving.variables import put
from refluid.tensor.lod_tensor import LoDTensor

if TYPE_CHECKING:
    from refluid.executor.executor import Executor

_WHAT = "load_persistables"


def load_distributed(executor: Executor, dirname: str, main_program: Any = None) -> None:
    """Read a server's pieces of parameters and states into the global scope; nothing changes unless all files exist.

    Args:
        main_program: the server's, or its startup program.
    """
    program = distributed_program("_load_distributed_persistables", main_program)
    endpoint = program._ps_endpoint
    if not endpoint:
        raise ArgumentError(f"{_WHAT}: give transpile the current_endpoint of the server that loads")
    notes: VarsDistributed = program._parameters_on_pservers
    mine = notes.get_distributed_vars_by_ep(endpoint)
    if not mine and endpoint not in program._endpoints:
        warn_once(f"{_WHAT}: {endpoint} is no server of this job, so nothing is loaded; trainers get what servers load")
        return
    if not os.path.isdir(dirname):
        raise NotFoundError(f"{_WHAT}: there is no folder {dirname!r}")
    settle(dirname)
    tensors = {one.slice.name: _read(dirname, one) for one in mine}
    tensors.update(_counters(dirname, program))
    tables = read_tables(os.path.join(dirname, FOLDER), program)
    for name, value in tensors.items():
        put(name, LoDTensor.of(value), executor)
    put_tables(tables)


def _read(dirname: str, one: VarDistributed) -> torch.Tensor:
    return _piece(dirname, one.origin.name, tuple(one.origin.shape), one.offset, tuple(one.slice.shape))


def _counters(dirname: str, program: Program) -> dict[str, torch.Tensor]:
    """The steps of schedules; Fluid's own files may lack them."""
    names = [(var.name, tuple(var.shape)) for var in program._parameters_on_pservers.counters]
    return {
        name: _piece(dirname, name, shape, 0, shape) for name, shape in names if os.path.isfile(inside(dirname, name))
    }


def _piece(dirname: str, name: str, whole: tuple[int, ...], first: int, shape: tuple[int, ...]) -> torch.Tensor:
    path = inside(dirname, name)
    try:
        with open(path, "rb") as file:
            return RecordReader(file, path).piece(name, whole, first, shape)
    except FileNotFoundError:
        raise NotFoundError(
            f"{_WHAT}: there is no file {path!r}; {dirname!r} was saved by another program, or not by trainer 0"
        ) from None
