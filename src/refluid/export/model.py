"""A saved model read for export: its program, inputs, outputs, and weights."""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch

from refluid.core.errors import NotFoundError
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.saving.describe import describe
from refluid.saving.inference import read_model, strip_feed_and_fetch
from refluid.saving.variables import is_persistable, load_vars
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope, global_scope, scope_guard

_PARAMS_NAMES = ("__params__", "params")


@dataclass
class Model:
    path: str
    program: Program
    feeds: list[Variable]
    fetches: list[Variable]
    weights: dict[str, torch.Tensor]

    @property
    def operators(self) -> list[Operator]:
        """Those of the main block that the outputs depend on, in their order."""
        wanted = {var.name for var in self.fetches}
        kept = []
        for op in reversed(self.program.global_block().ops):
            if wanted & set(op.output_arg_names):
                wanted |= set(op.input_arg_names)
                kept.append(op)
        return kept[::-1]


def read(folder: str, model_filename: str | None = None, params_filename: str | None = None) -> Model:
    """The inference model in a folder; its files are looked for under the usual names if none are given."""
    path = describe(folder, model_filename).path
    program = read_model(folder, os.path.relpath(path, folder))
    feeds, fetches = strip_feed_and_fetch(program)
    block = program.global_block()
    wanted = {var.name: var for var in program.list_vars() if is_persistable(var)}
    with scope_guard(Scope()):
        if wanted:
            filename = params_filename or _params_file(folder, list(wanted))
            load_vars(None, folder, program, list(wanted.values()), filename=filename)
        weights = {name: _tensor(path, name) for name in wanted}
    return Model(path, program, [block.var(name) for name in feeds], [block.var(name) for name in fetches], weights)


def _params_file(folder: str, names: list[str]) -> str | None:
    """The one file of all parameters; None if each has its own."""
    if any(os.path.isfile(os.path.join(folder, name)) for name in names):
        return None
    existing = [name for name in _PARAMS_NAMES if os.path.isfile(os.path.join(folder, name))]
    if not existing:
        raise NotFoundError(
            f"{folder!r} has neither a file for parameter {names[0]!r} nor one of {', '.join(_PARAMS_NAMES)} for all; "
            "name the file of all parameters with --params"
        )
    return existing[0]


def _tensor(path: str, name: str) -> torch.Tensor:
    value = global_scope().var(name).value
    if not isinstance(value, LoDTensor):
        raise NotFoundError(f"{path}: {name} is saved as {type(value).__name__}; only tensors can be exported")
    return value.value()
