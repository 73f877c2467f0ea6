"""The Python function that calls a program: plans call it with the tensors of a run.

Note [When a run is one call]
    Nothing is recorded: a program does not depend on shapes. The caller asks whether all tensors are on the CPU, of
    float32, small, and of one shape, with rows of adjacent numbers, and gives None where that is not so; the plan then
    calls the kernels, whose lines stand below the call. Larger tensors are left to ATen, which has threads for them.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch

from refluid.executor.pointwise.program import Program
from refluid.native import call as native

LARGEST = 16_384  # elements: from twice as many on, ATen uses threads


@lru_cache(maxsize=4096)
def caller_of(program: Program, shapes: int) -> Callable:
    """A function of the inputs, then of so many shapes. It gives a tuple of the results, or None."""
    inputs = [f"a{i}" for i in range(program.inputs)]
    sizes = [f"s{i}" for i in range(shapes)]
    parts = sum(program.made)
    function = native.function("pointwise_run")
    function.argtypes, function.restype = [ctypes.c_char_p, ctypes.c_char_p], None
    names: dict[str, Any] = {
        "Tensor": torch.Tensor, "float32": torch.float32, "empty": torch.empty, "default": torch.get_default_dtype,
        "function": function, "program": program.text,
        "pack": struct.Struct(f"{2 + 2 * (program.inputs + parts)}q").pack,
    }  # fmt: skip
    kinds = [f"type({a}) is Tensor and {a}.dtype is float32 and {a}.is_cpu" for a in inputs]
    alike = [f"{a}.shape == shape" for a in inputs[1:]] + [f"{s} == shape" for s in sizes]
    rows = [f"{a}.stride()" for a in inputs]
    lines = [
        f"def call({', '.join(inputs + sizes)}):",
        f"    if not (type(a0) is Tensor and 0 < a0.numel() <= {LARGEST} and {' and '.join(kinds)}): return None",
        "    if default() is not float32: return None  # `empty` takes longer with a dtype",
        "    shape = a0.shape",
        f"    if not ({' and '.join(alike) or 'True'}): return None",
        "    if len(shape) == 2:",
        "        rows, columns = shape",
        *[f"        r{i}, c{i} = {stride}" for i, stride in enumerate(rows)],
        f"        if not ({' == '.join(f'c{i}' for i in range(len(inputs)))} == 1): return None",
        f"    elif shape and {' and '.join(f'{a}.is_contiguous()' for a in inputs)}:",
        "        columns = shape[-1]",
        "        rows = a0.numel() // columns",
        f"        {' = '.join(f'r{i}' for i in range(len(inputs)))} = columns",
        "    else: return None",
    ]
    places = [f"{a}.data_ptr(), r{i}" for i, a in enumerate(inputs)]
    for n, width in enumerate(program.made):
        if width == 1:
            lines.append(f"    o{n} = empty(*shape)")
            places.append(f"o{n}.data_ptr(), columns")
        else:
            lines.append(f"    o{n} = empty(*shape[:-1], {width} * columns)")
            lines.append(f"    p{n} = o{n}.data_ptr()")
            places += [f"p{n} + {4 * part} * columns, {width} * columns" for part in range(width)]
    lines.append(f"    function(program, pack(rows, columns, {', '.join(places)}))")
    known = inputs + [f"o{n}" for n in range(len(program.made))]
    lines.append(f"    return ({''.join(known[result] + ', ' for result in program.results)})")
    exec("\n".join(lines), names)
    call: Callable = names["call"]
    call.__dict__["program"] = program
    return call


def is_caller(function: object) -> bool:
    return isinstance(getattr(function, "program", None), Program)
