"""save_vars, save_params, save_persistables and their loads: variables of a scope in files."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, EnforceNotMet, NotFoundError, ShapeError
from refluid.core.warn import warn_once
from refluid.ir import program as programs
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.saving.files import Save, inside, saving, settle
from refluid.saving.tensor_file import RecordReader, write_value
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import global_scope
from refluid.tensor.selected_rows import SelectedRows

_NEVER = (VarType.FEED_MINIBATCH, VarType.FETCH_LIST, VarType.READER, VarType.RAW)


def is_persistable(var: Variable) -> bool:
    return var.persistable and var.type not in _NEVER


def is_parameter(var: Variable) -> bool:
    return var.is_parameter


def is_belong_to_optimizer(var: Variable) -> bool:
    """Whether a variable is kept from run to run and is neither a parameter nor fed: rates, moments, counters."""
    return is_persistable(var) and not var.is_parameter and not var.need_check_feed


def save_vars(
    executor: Any, dirname: str | None, main_program: Any = None, vars: Any = None, predicate: Callable | None = None,
    filename: str | None = None,
) -> bytes | None:  # fmt: skip
    """Write variables of the global scope: a file each, or all in `filename`, ordered by name.

    Args:
        vars: the variables; those of `main_program` for which `predicate` holds if None.
    Returns:
        With neither `dirname` nor `filename`, what the one file would hold.
    """
    chosen = _chosen("save_vars", main_program, vars, predicate)
    if dirname is None and filename is None:
        file = io.BytesIO()
        _write_all(file, _values("save_vars", chosen))
        return file.getvalue()
    with saving(dirname or ".") as save:
        write_vars(save, "save_vars", chosen, filename)
    return None


def write_vars(save: Save, what: str, chosen: list[Variable], filename: str | None) -> None:
    """Add variables to a save: a file each, or one for all."""
    values = _values(what, chosen)
    if filename is not None:
        with save.open(filename) as combined:
            _write_all(combined, values)
    else:
        for name, value in values.items():
            with save.open(name) as single:
                write_value(single, value)


def save_params(executor: Any, dirname: str | None, main_program: Any = None, filename: str | None = None) -> Any:
    """Write the parameters of a program."""
    return save_vars(executor, dirname, main_program, None, is_parameter, filename)


def save_persistables(executor: Any, dirname: str | None, main_program: Any = None, filename: str | None = None) -> Any:
    """Write all persistable variables of a program: parameters and the state of optimizers."""
    return save_vars(executor, dirname, main_program, None, is_persistable, filename)


def load_vars(
    executor: Any, dirname: str | None, main_program: Any = None, vars: Any = None, predicate: Callable | None = None,
    filename: Any = None,
) -> None:  # fmt: skip
    """Read variables into the global scope; nothing changes unless all are there and fit.

    Without `dirname`, `filename` is the content of a combined file.
    """
    chosen = _chosen("load_vars", main_program, vars, predicate)
    if dirname is not None:
        settle(dirname)
    if filename is None:
        if dirname is None:
            raise ArgumentError("load_vars: dirname or filename must be given")
        found = {var.name: _read_single(dirname, var) for var in chosen}
    elif dirname is None:
        found = _read_all(io.BytesIO(filename), "the bytes in filename", chosen)
    else:
        path = os.path.join(dirname, filename)
        with _open(path) as file:
            found = _read_all(file, path, chosen)
    for var in chosen:
        where = "the bytes in filename" if dirname is None else os.path.join(dirname, filename or var.name)
        _check_fits(var, found[var.name], where)
    for var in chosen:
        put(var.name, found[var.name], executor)


def load_params(executor: Any, dirname: str | None, main_program: Any = None, filename: Any = None) -> None:
    """Read the parameters of a program."""
    load_vars(executor, dirname, main_program, None, is_parameter, filename)


def load_persistables(executor: Any, dirname: str | None, main_program: Any = None, filename: Any = None) -> None:
    """Read all persistable variables of a program; of a startup program too."""
    load_vars(executor, dirname, main_program, None, is_persistable, filename)


def put(name: str, value: LoDTensor | SelectedRows, executor: Any) -> None:
    """Set a variable of the global scope; who holds its tensor sees the new value."""
    device = getattr(executor, "device", None)
    if isinstance(value, SelectedRows):
        global_scope().var(name).value = value
        return
    target = global_scope().var(name).get_tensor()
    target.t = value.value() if device is None else value.value().to(device)
    target.lod_value = value.lod_value


def get_parameter_value(para: Variable, executor: Any) -> np.ndarray:
    """A copy of the value of a parameter in the global scope."""
    if not (isinstance(para, Variable) and para.is_parameter):
        raise DtypeError(f"get_parameter_value: para must be a parameter, got {getattr(para, 'name', para)!r}")
    return np.array(_value("get_parameter_value", para))


def get_parameter_value_by_name(name: str, executor: Any, program: Program | None = None) -> np.ndarray:
    """A copy of the value of the parameter of that name in a program, the default one for None."""
    program = program_of("get_parameter_value_by_name", program)
    return get_parameter_value(program.global_block().var(name), executor)


def program_of(what: str, program: Any) -> Program:
    """The program, the default one for None; that of a CompiledProgram."""
    program = programs.default_main_program() if program is None else getattr(program, "program", program)
    if not isinstance(program, Program):
        raise DtypeError(f"{what}: main_program must be a Program, got {type(program).__name__}")
    return program


def _chosen(what: str, program: Any, vars: Any, predicate: Callable | None) -> list[Variable]:
    program = program_of(what, program)
    if vars is None:
        vars = [var for var in program.list_vars() if predicate is None or predicate(var)]
    named = [program.global_block()._var_recursive(v) if isinstance(v, str) else v for v in vars]
    return [var for var in {v.name: v for v in named}.values() if var.type not in _NEVER]


def _value(what: str, var: Variable) -> LoDTensor | SelectedRows:
    found = global_scope().find_var(var.name)
    if found is None or not found.is_initialized():
        raise NotFoundError(f"{what}: {var.name} has no value in the scope; run the startup program first")
    if not isinstance(found.value, LoDTensor | SelectedRows):
        raise DtypeError(f"{what}: {var.name} holds a {type(found.value).__name__}, which has no file format")
    return found.value


def _values(what: str, chosen: list[Variable]) -> dict[str, Any]:
    return {var.name: _value(what, var) for var in chosen}


def _write_all(file: IO[bytes], values: dict[str, Any]) -> None:
    for name in sorted(values):  # Fluid: there are no names in the file, their order is the alphabet's
        write_value(file, values[name])


def _read(reader: RecordReader, var: Variable) -> LoDTensor | SelectedRows:
    return reader.rows(var.name) if var.type == VarType.SELECTED_ROWS else reader.tensor(var.name)


def _read_single(dirname: str, var: Variable) -> LoDTensor | SelectedRows:
    path = inside(dirname, var.name)
    with _open(path) as file:
        reader = RecordReader(file, path)
        value = _read(reader, var)
        if reader.left:
            raise EnforceNotMet(f"{reader.what}: {reader.left} bytes are left over after the tensor")
    return value


def _read_all(file: IO[bytes], path: str, chosen: list[Variable]) -> dict[str, Any]:
    reader = RecordReader(file, path)
    found = {var.name: _read(reader, var) for var in sorted(chosen, key=lambda v: v.name)}
    if reader.left:
        raise EnforceNotMet(f"{path}: {reader.left} bytes are left over after {len(chosen)} variables")
    return found


def _check_fits(var: Variable, value: LoDTensor | SelectedRows, where: str) -> None:
    if isinstance(value, SelectedRows):
        return
    shape = value.shape()
    if var._shape and (  # a file may leave the shape out
        len(shape) != len(var.shape) or any(want not in (-1, got) for want, got in zip(var.shape, shape, strict=True))
    ):
        raise ShapeError(
            f"load_vars: {var.name} has the shape {list(var.shape)} in the program, but {shape} in {where!r}"
        )
    got = value.value().dtype
    # Integers in the place of floats are a quantized model's.
    if got.is_floating_point and var._dtype is not None and got != dtypes.TORCH[var._dtype]:
        here, there = dtypes.NAME[var._dtype], dtypes.TORCH_NAME[got]
        warn_once(f"load_vars: {var.name} is {here} in the program, but {there} in {where!r}, and {there} it becomes")


def _open(path: str) -> Any:
    try:
        return open(path, "rb")
    except FileNotFoundError:
        raise NotFoundError(f"load_vars: there is no file {path!r}") from None
    except IsADirectoryError:
        raise NotFoundError(f"load_vars: {path!r} is a folder") from None
