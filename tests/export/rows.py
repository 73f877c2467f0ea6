"""The rows of tests/ops as models of one operator, so that every mapper is held to the kernel it stands for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from tests.ops import cases
from tests.ops.both_modes import OneOp
from tests.ops.calls import Call
from tests.ops.cases import ROWS, Row

from refluid.export.model import Model
from refluid.ir.program import program_guard
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.selected_rows import SelectedRows

for _path in sorted(cases.HERE.glob("*/*.py")):
    if not _path.name.startswith(("__", "test_")):
        importlib.import_module(f"tests.ops.{_path.parent.name}.{_path.stem}")


@dataclass
class Exported:
    """A model of one operator, what to feed it, and what it gives here."""

    model: Model
    feed: dict[str, LoDTensor]
    outputs: dict[str, np.ndarray]
    lengths: dict[str, list[np.ndarray]]  # of the sequences of each output, by level


def variants_of(op: str, without: str = "") -> Iterator[tuple[str, Exported]]:
    """Every row of an operator as a model, with fixed sizes and with a batch of any size; `without` an output."""
    for row in (row for row in ROWS if row.op == op):
        for any_batch in (False, True):
            made = exported(row, any_batch, without)
            if made is not None:
                yield row.where + (" with any batch" if any_batch else ""), made


def has_rows(op: str) -> bool:
    return any(row.op == op for row in ROWS)


def exported(row: Row, any_batch: bool, without: str) -> Exported | None:
    """None if the row is not for export: it works on SelectedRows, or its batch must have one size."""
    if row.op in ("dropout", "batch_norm", "sync_batch_norm"):
        row = replace(row, given={**row.given, "is_test": True})
    one = Call(row, floats=torch.float32)
    if any(isinstance(value, SelectedRows) for value in flat(one.values)):
        return None
    outs = one.forward()
    program = OneOp(one)
    if any_batch:
        hidden = batch_slots(row, one)
        if not hidden:
            return None
        for name in program.feed:
            if name.rpartition("_")[0] in hidden:
                var = program.block.var(name)
                var.shape = (-1, *var.shape[1:])
    with program_guard(program.main):
        made = [var for var in flat(program.append(outs)) if var is not None]
    updated = {n: program.scope.var(n).get_tensor().t for n, v in program.block.vars.items() if v.persistable}
    intermediate = {slot.name for slot in one.op.outputs if slot.intermediate} | {without}
    wanted = [v for v in made if v.name.rpartition("_out")[0] not in intermediate and v.name not in updated]
    found = program.run(wanted)
    feeds = [program.block.var(name) for name in program.feed]
    values = {name: np.array(found[name]) for name in found}
    lods = {name: found[name].lod_value for name in found}
    lengths = {name: [np.array(level) for level in lod.lengths()] if lod else [] for name, lod in lods.items()}
    return Exported(Model(row.where, program.main, feeds, wanted, updated), program.feed, values, lengths)


def batch_slots(row: Row, one: Call) -> list[str]:
    """The slots whose first axis may be -1: those that the row names, else all if it has the same size in all."""
    if row.batch is not None:
        return row.batch.split()
    sizes = {spec.shape[:1] for spec in flat(one.specs()) if spec is not None}
    return [slot.name for slot in one.op.inputs] if len(sizes) == 1 else []


def flat(values: Any) -> list[Any]:
    return [one for value in values for one in (flat(value) if isinstance(value, list) else [value])]
