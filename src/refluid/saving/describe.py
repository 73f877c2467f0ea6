"""What a saved model is: inputs, outputs, operators, parameters, and what cannot run here. Needs no parameters."""

from __future__ import annotations

import math
import os
from collections import Counter
from dataclasses import dataclass

from refluid.core import dtypes
from refluid.core.errors import NotFoundError
from refluid.executor import executor as executor  # registers the operators that carry blocks
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.ops import registry
from refluid.saving.inference import read_model, strip_feed_and_fetch
from refluid.saving.variables import is_persistable

_MODEL_NAMES = ("__model__", "model", "__model__.main_program")


@dataclass
class Description:
    """A model in a folder, told without running it."""

    path: str
    inputs: list[Variable]
    outputs: list[Variable]
    parameters: list[Variable]
    operators: Counter[str]
    unsupported: list[str]

    def text(self) -> str:
        lines = [f"model        {self.path}"]
        lines += _table("inputs", self.inputs)
        lines += _table("outputs", self.outputs)
        total = sum(self.operators.values())
        counts = ", ".join(f"{kind} x{n}" if n > 1 else kind for kind, n in sorted(self.operators.items()))
        lines.append(f"operators    {total}: {counts}")
        numbers = sum(_count(var) for var in self.parameters)
        size = sum(_bytes(var) for var in self.parameters)
        lines.append(f"parameters   {len(self.parameters)}: {numbers:,} numbers, {_readable(size)}")
        width = max((len(var.name) for var in self.parameters), default=0)
        for var in sorted(self.parameters, key=lambda v: v.name):
            lines.append(f"  {var.name:<{width}}  {_kind(var)}  {_readable(_bytes(var))}")
        lines.append(f"unsupported  {', '.join(self.unsupported) if self.unsupported else 'nothing'}")
        return "\n".join(lines)


def describe(folder: str, model_filename: str | None = None) -> Description:
    """The model in a folder; its program's file is looked for under the usual names if none is given."""
    if not os.path.isdir(folder):
        what = f"{folder!r} is a file" if os.path.exists(folder) else f"there is no folder {folder!r}"
        raise NotFoundError(f"{what}; expected the folder of a saved model")
    if model_filename is None:
        names = [name for name in _MODEL_NAMES if os.path.isfile(os.path.join(folder, name))]
        if not names:
            raise NotFoundError(f"{folder!r} has none of the files {', '.join(_MODEL_NAMES)}; name it with --model")
        model_filename = names[0]
    program = read_model(folder, model_filename)
    feeds, fetches = strip_feed_and_fetch(program)
    block = program.global_block()
    return Description(
        os.path.join(folder, model_filename),
        [block.var(name) for name in feeds],
        [block.var(name) for name in fetches],
        [var for var in program.list_vars() if is_persistable(var)],
        Counter(op.type for op in program.operators()),
        unsupported(program),
    )


def unsupported(program: Program) -> list[str]:
    """The types of operators that do not exist here, in alphabetical order."""
    return sorted({op.type for op in program.operators() if registry.find(op.type) is None})


def _table(title: str, variables: list[Variable]) -> list[str]:
    width = max((len(var.name) for var in variables), default=0)
    rows = [f"{var.name:<{width}}  {_kind(var)}" for var in variables] or ["none"]
    return [f"{title:<11}  {rows[0]}", *(f"{'':<11}  {row}" for row in rows[1:])]


def _kind(var: Variable) -> str:
    lod = f", LoD of {var.lod_level} level{'s' if var.lod_level > 1 else ''}" if var.lod_level else ""
    return f"{dtypes.NAME[var.dtype]} {list(var.shape)}{lod}"


def _count(var: Variable) -> int:
    return math.prod(size for size in var.shape if size > 0) if var.shape else 0


def _bytes(var: Variable) -> int:
    return _count(var) * dtypes.numpy_dtype(var.dtype).itemsize


def _readable(size: int) -> str:
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}" if unit != "bytes" else f"{size} bytes"
        size /= 1000  # type: ignore[assignment]
    return f"{size:.3g} GB"
