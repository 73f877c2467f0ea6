"""The PyTorch module of a model, loaded, with example inputs and a description of what goes in and comes out."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass

import torch
from torch import nn

from refluid.core import dtypes
from refluid.core.dtypes import TORCH
from refluid.export.model import Model
from refluid.export.to_cpp import operators as operators  # modules call them
from refluid.export.to_torch.write import to_source
from refluid.export.to_torch.writer import Writer
from refluid.ir.variable import Variable

# Sizes of the examples for axes that are open: no two things that may differ have the same one.
SEQUENCES = 3  # also the batch size
LENGTHS = (2, 1, 4)
OTHER = 32  # an axis behind the first: images of any size, sentences padded to any length

_STEM = "exported"


@dataclass
class Loaded:
    module: nn.Module
    examples: tuple[torch.Tensor, ...]
    open_axes: list[list[int]]  # of each example
    values: list[tuple[str, Variable, int]]  # input or output, the variable, the levels of its LoD
    lengths: set[int]  # which of the examples are lengths of sequences
    names: dict[str, str]  # Fluid's names of the parameters


def load(model: Model, folder: str) -> Loaded:
    """The module, written to `folder` and imported from there: TorchScript reads its source."""
    writer = Writer(for_cpp=True)
    source, weights = to_source(model, _STEM, writer)
    path = os.path.join(folder, f"{_STEM}.py")
    with open(path, "w") as file:
        file.write(source)
    spec = importlib.util.spec_from_file_location(f"refluid_{_STEM}", path)
    assert spec is not None and spec.loader is not None
    space = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(space)
    module = getattr(space, _STEM.capitalize())()
    module.load_state_dict(weights)
    module.eval().requires_grad_(False)
    examples, open_axes, lengths = _examples(model)
    values = [("input", var, var.lod_level) for var in model.feeds]
    values += [("output", var, len(writer.env[var.name].lod)) for var in model.fetches]
    return Loaded(module, examples, open_axes, values, lengths, writer.weight_names)


def _examples(model: Model) -> tuple[tuple[torch.Tensor, ...], list[list[int]], set[int]]:
    examples, open_axes, lengths = [], [], set()
    for var in model.feeds:
        first = sum(LENGTHS) if var.lod_level else SEQUENCES
        axes = [axis for axis, size in enumerate(var.shape) if size < 0]
        sizes = [size if size >= 0 else OTHER if axis else first for axis, size in enumerate(var.shape)]
        examples.append(torch.zeros(sizes, dtype=TORCH[var.dtype]))
        open_axes.append(axes)
        for level in range(var.lod_level):
            lengths.add(len(examples))
            inner = level == var.lod_level - 1
            examples.append(torch.tensor(LENGTHS if inner else [1] * (SEQUENCES - 1) + [1]))
            open_axes.append([0])
    return tuple(examples), open_axes, lengths


def describe(loaded: Loaded, kind: str, isa: str) -> str:
    """What the C++ library reads (refluid/cpp/src/package.cc): fields between tabs, one thing per line."""
    lines = ["format\t1", f"kind\t{kind}", f"torch\t{torch.__version__.partition('+')[0]}", f"isa\t{isa}"]
    for role, var, levels in loaded.values:
        shape = ",".join(map(str, var.shape))
        lines.append(f"{role}\t{var.name}\t{dtypes.NAME[var.dtype]}\t{levels}\t{shape}")
    return "\n".join(lines) + "\n"
