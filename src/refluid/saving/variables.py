"""save_vars, save_params, save_persistables and their loads: variables of a scope in files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError, ShapeError
from refluid.ir import program as programs
from refluid.ir.variable import Variable
from refluid.saving.files import replacing
from refluid.saving.tensor_file import read_tensor, write_tensor
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import global_scope


def is_persistable(var: Variable) -> bool:
    return var.persistable and var.type in (VarType.LOD_TENSOR, VarType.SELECTED_ROWS)


def is_parameter(var: Variable) -> bool:
    return var.is_parameter


def save_vars(
    executor: Any, dirname: str, main_program: Any = None, vars: Any = None, predicate: Callable | None = None,
    filename: str | None = None,
) -> None:  # fmt: skip
    """Write variables: a file each, or all in `filename`, ordered by name as Fluid orders them."""
    chosen = _chosen("save_vars", main_program, vars, predicate)
    tensors = {var.name: _value("save_vars", var) for var in chosen}
    os.makedirs(dirname or ".", exist_ok=True)
    if filename is not None:
        with replacing(os.path.join(dirname, filename)) as file:
            for name in sorted(tensors):
                write_tensor(file, tensors[name])
        return
    for name, tensor in tensors.items():
        with replacing(os.path.join(dirname, name)) as file:
            write_tensor(file, tensor)


def save_params(executor: Any, dirname: str, main_program: Any = None, filename: str | None = None) -> None:
    """Write the parameters of a program."""
    save_vars(executor, dirname, main_program, None, is_parameter, filename)


def save_persistables(executor: Any, dirname: str, main_program: Any = None, filename: str | None = None) -> None:
    """Write all persistable variables of a program: parameters and the state of optimizers."""
    save_vars(executor, dirname, main_program, None, is_persistable, filename)


def load_vars(
    executor: Any, dirname: str, main_program: Any = None, vars: Any = None, predicate: Callable | None = None,
    filename: str | None = None,
) -> None:  # fmt: skip
    """Read variables into the global scope; nothing changes unless all files are there and fit."""
    chosen = _chosen("load_vars", main_program, vars, predicate)
    found: dict[str, LoDTensor] = {}
    if filename is not None:
        path = os.path.join(dirname, filename)
        with _open(path) as file:
            size = os.path.getsize(path)
            for var in sorted(chosen, key=lambda v: v.name):
                found[var.name] = read_tensor(file, f"{path}, variable {var.name}", size)
            if file.tell() != size:
                raise EnforceNotMet(f"{path}: {size - file.tell()} bytes are left over after {len(chosen)} variables")
    else:
        for var in chosen:
            path = os.path.join(dirname, var.name)
            with _open(path) as file:
                found[var.name] = read_tensor(file, f"{path}, variable {var.name}", os.path.getsize(path))
    for var in chosen:
        shape = found[var.name].shape()
        if var.shape and not any(size < 0 for size in var.shape) and list(var.shape) != shape:
            raise ShapeError(
                f"load_vars: {var.name} has the shape {list(var.shape)} in the program, but {shape} in {dirname!r}"
            )
    for name, tensor in found.items():
        target = global_scope().var(name).get_tensor()
        target.t, target.lod_value = tensor.t, tensor.lod_value


def load_params(executor: Any, dirname: str, main_program: Any = None, filename: str | None = None) -> None:
    load_vars(executor, dirname, main_program, None, is_parameter, filename)


def load_persistables(executor: Any, dirname: str, main_program: Any = None, filename: str | None = None) -> None:
    load_vars(executor, dirname, main_program, None, is_persistable, filename)


def _chosen(what: str, program: Any, vars: Any, predicate: Callable | None) -> list[Variable]:
    if program is None:
        program = programs.default_main_program()
    program = getattr(program, "program", program)
    if not hasattr(program, "list_vars"):
        raise ArgumentError(f"{what}: main_program must be a Program, got {type(program).__name__}")
    if vars is None:
        vars = [var for var in program.list_vars() if predicate is None or predicate(var)]
    named = [program.global_block()._var_recursive(v) if isinstance(v, str) else v for v in vars]
    return [var for var in {v.name: v for v in named}.values() if var.type != VarType.RAW]


def _value(what: str, var: Variable) -> LoDTensor:
    found = global_scope().find_var(var.name)
    if found is None or not found.is_initialized():
        raise NotFoundError(f"{what}: {var.name} has no value in the scope; run the startup program first")
    return found.get_tensor()


def _open(path: str) -> Any:
    try:
        return open(path, "rb")
    except FileNotFoundError:
        raise NotFoundError(f"load_vars: there is no file {path!r}") from None
    except IsADirectoryError:
        raise NotFoundError(f"load_vars: {path!r} is a folder") from None
