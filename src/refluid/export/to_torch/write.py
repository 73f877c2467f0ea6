"""A model as a PyTorch module: a Python file, and its weights as safetensors beside it."""

from __future__ import annotations

import inspect
import os
import re
from itertools import takewhile

import torch
from safetensors.torch import save

import refluid
from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.export.mapping import Value, refuse, value_of, walk
from refluid.export.model import Model
from refluid.export.to_torch import (  # each but the first registers its mappers
    blocks as blocks,
    helpers as helpers,
    image as image,
    math as math,
    recurrent as recurrent,
    score as score,
    sequence as sequence,
    shape as shape,
    simple as simple,
)  # fmt: skip
from refluid.export.to_torch.writer import Writer, maps
from refluid.ir.variable import Variable
from refluid.saving.files import saving


def write(model: Model, path: str) -> list[str]:
    """Write `path` (a .py file) and its .safetensors; nothing is written if an operator cannot be exported."""
    folder, name = os.path.split(os.path.abspath(path))
    stem, ending = os.path.splitext(name)
    if ending != ".py":
        raise ArgumentError(f"export --to torch writes a Python module: OUT must end in .py, got {path!r}")
    source, weights = to_source(model, stem)
    with saving(folder) as save_files:
        with save_files.open(name) as file:
            file.write(source.encode())
        with save_files.open(f"{stem}.safetensors") as file:
            file.write(save(weights))
    return [os.path.join(folder, name), os.path.join(folder, f"{stem}.safetensors")]


def to_source(model: Model, stem: str, writer: Writer | None = None) -> tuple[str, dict[str, torch.Tensor]]:
    """The text of the module, and its weights by their names in it; `writer` knows afterwards what is called how."""
    w = writer or Writer()
    title = "".join(part.capitalize() for part in re.split(r"[^0-9a-zA-Z]+", stem)) or "Model"
    title = title if title[0].isalpha() else f"Model{title}"
    w.reserve(title, *(name for name, _ in inspect.getmembers(helpers, inspect.isfunction)))
    arguments = []
    for var in model.feeds:
        local = w.local(var.name)
        lod = tuple(w.fresh(f"{local}_lengths{i or ''}") for i in range(var.lod_level))
        w.env[var.name] = value_of(var, local, lod)
        arguments += [local, *lod]
    operators = model.operators
    origins = {}
    inner = [op for block in model.program.blocks[1:] for op in block.ops]
    for name in dict.fromkeys(name for op in [*operators, *inner] for name in op.input_arg_names):
        if name in model.weights:  # in the order of their use
            tensor = model.weights[name]
            text = w.weight(name, tensor)
            origins[text.removeprefix("self.")] = name
            w.env[name] = Value(text, tuple(tensor.shape), tensor.dtype)
    w.final = _copies(model)
    for var in model.program.list_vars():
        if var.type == VarType.LOD_TENSOR_ARRAY:  # programs write to arrays that no operator creates
            w.env[var.name] = value_of(var, w.local(var.name))
            w.line(f"{w.local(var.name)} = []")
    w.device = f"{arguments[0]}.device" if arguments else "None"
    walk(w, maps, operators, w.env, w.problems)
    refuse(model, "C++" if w.for_cpp else "PyTorch", w.env, w.problems)
    buffers = _statistics(model)
    parts = [
        _head(model, stem, title, arguments, w),
        *_helpers(w),
        _class(model, title, arguments, w, origins, buffers),
        _LOAD.format(title=title, stem=stem),
    ]
    return "\n\n\n".join(part.strip("\n") for part in parts) + "\n", {k: v.contiguous() for k, v in w.weights.items()}


def _head(model: Model, stem: str, title: str, arguments: list[str], w: Writer) -> str:
    lines = [
        f'"""{title}: a model of Fluid as a module of PyTorch, written by Refluid {refluid.__version__}.',
        "",
        f"    model = load()  # the weights are in {stem}.safetensors, beside this file",
        "    with torch.inference_mode():",
        f"        outputs = model({', '.join(arguments)})",
        '"""',
        "",
        "from collections.abc import Callable",
        "from pathlib import Path",
        "",
        "import torch",
        "import torch.nn.functional as F",
        "from torch import Tensor, nn",
    ]
    written = "\n".join([*w.lines, *(inspect.getsource(f) for f in w.helpers.values())])
    for needed, line in (
        ("F.", "import torch.nn.functional as F"),
        (": Callable", "from collections.abc import Callable"),
    ):
        if needed not in written:
            lines.remove(line)
    return "\n".join(lines)


def _helpers(w: Writer) -> list[str]:
    """The functions that the module needs, in the order of helpers.py."""
    return [inspect.getsource(f) for f in sorted(w.helpers.values(), key=lambda f: f.__code__.co_firstlineno)]


def _class(
    model: Model, title: str, arguments: list[str], w: Writer, origins: dict[str, str], buffers: set[str]
) -> str:  # fmt: skip
    lines = [f"class {title}(nn.Module):", '    """', "    Inputs:"]
    for var in model.feeds:
        value = w.env[var.name]
        lines.append(f"        {value}: {_kind(var)}")
        lines += [f"        {name}: int64, the lengths of the sequences in {value}" for name in value.lod]
    lines.append("    Returns:")
    for var in model.fetches:
        lines.append(f"        {w.env[var.name]}: {_kind(var)}")
        lines += [f"        {name}: int64, the lengths of its sequences" for name in w.env[var.name].lod]
    lines += ['    """', "", "    def __init__(self) -> None:", "        super().__init__()"]
    for attribute, tensor in w.weights.items():
        origin = origins.get(attribute, attribute)
        initial = f"torch.empty({', '.join(map(str, tensor.shape))}"
        initial += ")" if tensor.dtype is torch.float32 else f", dtype={tensor.dtype})"
        note = "" if origin == attribute else f"  # {origin}"
        if tensor.is_floating_point() and origin in model.weights and origin not in buffers:
            lines.append(f"        self.{attribute} = nn.Parameter({initial}){note}")
        else:
            lines.append(f'        self.register_buffer("{attribute}", {initial}){note}')
    results = [name for var in model.fetches for name in (w.env[var.name].name, *w.env[var.name].lod)]
    signature = ", ".join(["self", *(f"{name}: Tensor" for name in arguments)])
    returned = "Tensor" if len(results) == 1 else f"tuple[{', '.join(['Tensor'] * len(results))}]"
    lines += ["", f"    def forward({signature}) -> {returned}:"]
    lines += [f"        {line}" for line in w.lines]
    lines.append(f"        return {', '.join(results)}")
    return "\n".join(lines)


_LOAD = '''
def load(path: str | Path | None = None) -> {title}:
    """The model with its weights, by default those beside this file."""
    from safetensors.torch import load_file

    model = {title}()
    model.load_state_dict(load_file(path or Path(__file__).with_name("{stem}.safetensors")))
    return model.eval()
'''


def _copies(model: Model) -> set[str]:
    """The outputs that the `scale` operators at the end, which save_inference_model adds, copy from other variables."""
    names = {var.name for var in model.fetches}
    copies = takewhile(lambda op: op.type == "scale" and op.output("Out")[0] in names, reversed(model.operators))
    return {op.output("Out")[0] for op in copies}


def _statistics(model: Model) -> set[str]:
    """Weights that no training changes by gradients: the means and variances of batch_norm."""
    return {
        name
        for op in model.program.operators() if op.definition is not None
        for slot in op.definition.statistics
        for name in op.input(slot)
    }  # fmt: skip


def _kind(var: Variable) -> str:
    return f"{dtypes.NAME[var.dtype]} {list(var.shape)}"
