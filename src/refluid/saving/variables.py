"""save_vars, save_params, save_persistables and their loads: variables of a scope in files."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Mapping
from typing import IO, TypeAlias, cast

import numpy as np

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, EnforceNotMet, NotFoundError, ShapeError
from refluid.core.later import Later
from refluid.core.warn import warn_once
from refluid.executor.compiled import CompiledProgram
from refluid.executor.executor import Executor
from refluid.ir import program as programs
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.saving.files import Save, inside, saving, settle
from refluid.saving.tensor_file import RecordReader, write_value
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import global_scope
from refluid.tensor.selected_rows import SelectedRows

AnyProgram: TypeAlias = Program | CompiledProgram | None
"""The program whose variables are saved or loaded; None for the default one."""

Predicate: TypeAlias = Callable[[Variable], bool] | None

# What saving does where a program trains with parameter servers.
of_servers = {
    "save": Later("refluid.distributed.persist.save:save_distributed"),
    "load": Later("refluid.distributed.persist.load:load_distributed"),
    "infer": Later("refluid.distributed.persist.inference:for_one_machine"),
    "fetch": Later("refluid.distributed.persist.fetch:fetched"),
}

_NEVER = (VarType.FEED_MINIBATCH, VarType.FETCH_LIST, VarType.READER, VarType.RAW)


def is_persistable(var: Variable) -> bool:
    """Whether a variable is kept from run to run; feeds, fetches and readers are not.

    Args:
        var: a variable of a program.

    Returns:
        A bool.

    Example:
        >>> fc = fluid.layers.fc(fluid.data("x", [None, 3]), 2)
        >>> [var.name for var in fluid.default_main_program().list_vars() if fluid.io.is_persistable(var)]
        ['fc_0.w_0', 'fc_0.b_0']
    """
    return var.persistable and var.type not in _NEVER


def is_parameter(var: Variable) -> bool:
    """Whether a variable is a parameter.

    Args:
        var: a variable of a program.

    Returns:
        A bool.

    Example:
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> [var.name for var in fluid.default_main_program().list_vars() if fluid.io.is_parameter(var)]
        ['fc_0.w_0', 'fc_0.b_0']
    """
    return var.is_parameter


def is_belong_to_optimizer(var: Variable) -> bool:
    """Whether a variable is persistable and neither a parameter nor fed: learning rates, moments, counters.

    Args:
        var: a variable of a program.

    Returns:
        A bool.
    """
    return is_persistable(var) and not var.is_parameter and not var.need_check_feed


def save_vars(
    executor: Executor | None,
    dirname: str | None,
    main_program: AnyProgram = None,
    vars: Iterable[Variable | str] | None = None,
    predicate: Predicate = None,
    filename: str | None = None,
) -> bytes | None:
    """Write variables of the global scope: a file each, or all in `filename`, ordered by name.

    Args:
        executor: not used, as values are read from the global scope; programs pass theirs.
        dirname: the folder to write to, made if it does not exist.
        main_program: the program that holds the variables, or its CompiledProgram; the default main program if None.
        vars: the variables, or their names; those of `main_program` for which `predicate` holds if None.
        predicate: a function of a variable, `fluid.io.is_parameter` for example; None for all variables.
        filename: one file for all variables; a file for each, with its name, if None.

    Returns:
        None; with neither `dirname` nor `filename`, the bytes of the combined file.
    """
    chosen = _chosen("save_vars", main_program, vars, predicate)
    known = only_at_servers("save_vars", main_program, chosen)
    if dirname is None and filename is None:
        file = io.BytesIO()
        _write_all(file, _values("save_vars", chosen, known))
        return file.getvalue()
    with saving(dirname or ".") as save:
        write_vars(save, "save_vars", chosen, filename, known)
    return None


def write_vars(
    save: Save,
    what: str,
    chosen: list[Variable],
    filename: str | None,
    known: Mapping[str, LoDTensor | SelectedRows] | None = None,
) -> None:
    """Add variables to a save: a file each, or one for all. `known` are values that are not in the scope."""
    values = _values(what, chosen, known or {})
    if filename is not None:
        with save.open(filename) as combined:
            _write_all(combined, values)
    else:
        for name, value in values.items():
            with save.open(name) as single:
                write_value(single, value)


def save_params(
    executor: Executor | None, dirname: str | None, main_program: AnyProgram = None, filename: str | None = None
) -> bytes | None:
    """Write the parameters of a program.

    Args:
        executor: not used, as values are read from the global scope; programs pass theirs.
        dirname: the folder to write to, made if it does not exist.
        main_program: the program that holds the variables, or its CompiledProgram; the default main program if None.
        filename: one file for all parameters; a file for each, with its name, if None.

    Returns:
        None; with neither `dirname` nor `filename`, the bytes of the combined file.

    Example:
        >>> import os
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> fluid.io.save_params(exe, "params")
        >>> sorted(os.listdir("params"))
        ['fc_0.b_0', 'fc_0.w_0']
    """
    return save_vars(executor, dirname, main_program, None, is_parameter, filename)


def save_persistables(
    executor: Executor | None, dirname: str | None, main_program: AnyProgram = None, filename: str | None = None
) -> bytes | None:
    """Write all persistable variables of a program: parameters and the state of optimizers.

    Of a trainer's program, trainer 0 also writes what parameter servers hold; then every variable has a file.

    Args:
        executor: used to reach parameter servers alone, as values are read from the global scope; programs pass theirs.
        dirname: the folder to write to, made if it does not exist.
        main_program: the program that holds the variables, or its CompiledProgram; the default main program if None.
        filename: one file for all variables; a file for each, with its name, if None.

    Returns:
        None; with neither `dirname` nor `filename`, the bytes of the combined file.

    Example:
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> _ = fluid.optimizer.Momentum(0.1, momentum=0.9).minimize(fluid.layers.mean(y))
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> fluid.io.save_persistables(exe, "checkpoint", filename="all")  # with the velocities and the learning rate
        >>> fluid.io.load_persistables(exe, "checkpoint", filename="all")
    """
    if dirname is not None and _with_servers(main_program, filename):
        return of_servers["save"](executor, dirname, program_of("save_persistables", main_program))
    return save_vars(executor, dirname, main_program, None, is_persistable, filename)


def only_at_servers(what: str, main_program: AnyProgram, chosen: list[Variable]) -> dict[str, LoDTensor | SelectedRows]:
    """Values of variables that a trainer does not have itself, fetched from its parameter servers."""
    program = program_of(what, main_program)
    return of_servers["fetch"](what, program, {var.name for var in chosen}) if program._is_distributed else {}


def load_vars(
    executor: Executor | None,
    dirname: str | None,
    main_program: AnyProgram = None,
    vars: Iterable[Variable | str] | None = None,
    predicate: Predicate = None,
    filename: str | bytes | None = None,
) -> None:
    """Read variables into the global scope; nothing changes unless all are there and fit.

    Args:
        executor: the executor on whose device the values are put; None for where they were read, on the CPU.
        dirname: the folder that `save_vars` wrote.
        main_program: the program that holds the variables, or its CompiledProgram; the default main program if None.
        vars: the variables, or their names; those of `main_program` for which `predicate` holds if None.
        predicate: a function of a variable; None for all variables.
        filename: the file that holds all variables; a file for each if None. Without `dirname`, the bytes of that file.

    Returns:
        None.

    Example:
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> fluid.io.save_vars(exe, "model", predicate=fluid.io.is_parameter)
        >>> fluid.io.load_vars(exe, "model", predicate=lambda var: var.name == "fc_0.w_0")
    """
    chosen = _chosen("load_vars", main_program, vars, predicate)
    if dirname is not None:
        settle(dirname)
    if filename is None:
        if dirname is None:
            raise ArgumentError("load_vars: dirname or filename must be given")
        values = {var.name: _read_single(dirname, var) for var in chosen}
    elif dirname is None:
        values = _read_all(io.BytesIO(cast(bytes, filename)), "the bytes in filename", chosen)
    else:
        path = os.path.join(dirname, cast(str, filename))
        with _open(path) as file:
            values = _read_all(file, path, chosen)
    for var in chosen:
        where = "the bytes in filename" if dirname is None else os.path.join(dirname, cast(str, filename) or var.name)
        _check_fits(var, values[var.name], where)
    for var in chosen:
        put(var.name, values[var.name], executor)


def load_params(
    executor: Executor | None, dirname: str | None, main_program: AnyProgram = None, filename: str | bytes | None = None
) -> None:
    """Read the parameters of a program into the global scope.

    Args:
        executor: the executor on whose device the values are put; None for where they were read, on the CPU.
        dirname: the folder that `save_params` wrote.
        main_program: the program that holds the variables, or its CompiledProgram; the default main program if None.
        filename: the file that holds all parameters; a file for each if None. Without `dirname`, its bytes.

    Returns:
        None.

    Example:
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> fluid.io.save_params(exe, "params")
        >>> before = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
        >>> _ = exe.run(fluid.default_startup_program())  # other random numbers
        >>> fluid.io.load_params(exe, "params")
        >>> np.array_equal(before, np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor()))
        True
    """
    load_vars(executor, dirname, main_program, None, is_parameter, filename)


def load_persistables(
    executor: Executor | None, dirname: str | None, main_program: AnyProgram = None, filename: str | bytes | None = None
) -> None:
    """Read all persistable variables of a program into the global scope. A parameter server reads its own shards.

    Args:
        executor: the executor on whose device the values are put; None for where they were read, on the CPU.
        dirname: the folder that `save_persistables` wrote.
        main_program: the program that holds the variables, a startup program too; the default main program if None.
        filename: the file that holds all variables; a file for each if None. Without `dirname`, the bytes of that file.

    Returns:
        None.

    Example:
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> fluid.io.save_persistables(exe, "checkpoint")
        >>> fluid.io.load_persistables(exe, "checkpoint")
    """
    if dirname is not None and _with_servers(main_program, filename):
        return of_servers["load"](executor, dirname, program_of("load_persistables", main_program))
    load_vars(executor, dirname, main_program, None, is_persistable, filename)


def _with_servers(main_program: AnyProgram, filename: str | bytes | None) -> bool:
    program = program_of("save_persistables", main_program)
    if program._is_distributed and filename is not None:
        warn_once(f"variables of parameter servers have a file each, so the filename {filename!r} is not used")
    return program._is_distributed


def put(name: str, value: LoDTensor | SelectedRows, executor: Executor | None) -> None:
    """Set a variable of the global scope; who holds its tensor sees the new value."""
    device = getattr(executor, "device", None)
    if isinstance(value, SelectedRows):
        global_scope().var(name).value = value
        return
    target = global_scope().var(name).get_tensor()
    target.t = value.value() if device is None else value.value().to(device)
    target.lod_value = value.lod_value


def get_parameter_value(para: Variable, executor: Executor | None) -> np.ndarray:
    """A copy of the value of a parameter in the global scope.

    Args:
        para: the parameter.
        executor: not used; programs pass theirs.

    Returns:
        A numpy array.
    """
    if not (isinstance(para, Variable) and para.is_parameter):
        raise DtypeError(f"get_parameter_value: para must be a parameter, got {getattr(para, 'name', para)!r}")
    return np.array(_value("get_parameter_value", para))


def get_parameter_value_by_name(name: str, executor: Executor | None, program: Program | None = None) -> np.ndarray:
    """A copy of the value of the parameter of that name in the global scope.

    Args:
        name: the name of the parameter.
        executor: not used; programs pass theirs.
        program: the program that holds the parameter; the default main program if None.

    Returns:
        A numpy array.
    """
    program = program_of("get_parameter_value_by_name", program)
    return get_parameter_value(program.global_block().var(name), executor)


def program_of(what: str, given: AnyProgram) -> Program:
    """The program, the default one for None; that of a CompiledProgram."""
    program = programs.default_main_program() if given is None else getattr(given, "program", given)
    if not isinstance(program, Program):
        raise DtypeError(f"{what}: main_program must be a Program, got {type(program).__name__}")
    return program


def _chosen(
    what: str, main_program: AnyProgram, vars: Iterable[Variable | str] | None, predicate: Predicate
) -> list[Variable]:
    program = program_of(what, main_program)
    if vars is None:
        vars = [var for var in program.list_vars() if predicate is None or predicate(var)]
    named = [program.global_block()._var_recursive(var) if isinstance(var, str) else var for var in vars]
    return [var for var in {var.name: var for var in named}.values() if var.type not in _NEVER]


def _value(what: str, var: Variable) -> LoDTensor | SelectedRows:
    held = global_scope().find_var(var.name)
    if held is None or not held.is_initialized():
        raise NotFoundError(f"{what}: {var.name} has no value in the scope; run the startup program first")
    if not isinstance(held.value, LoDTensor | SelectedRows):
        raise DtypeError(f"{what}: {var.name} holds a {type(held.value).__name__}, which has no file format")
    return held.value


def _values(
    what: str, chosen: list[Variable], known: Mapping[str, LoDTensor | SelectedRows]
) -> dict[str, LoDTensor | SelectedRows]:
    return {var.name: known[var.name] if var.name in known else _value(what, var) for var in chosen}


def _write_all(file: IO[bytes], values: dict[str, LoDTensor | SelectedRows]) -> None:
    for name in sorted(values):  # Fluid: there are no names in the file, their order is the alphabet's
        write_value(file, values[name])


def _read(reader: RecordReader, var: Variable) -> LoDTensor | SelectedRows:
    # Selected rows that a program keeps are those of a table, which may have any id.
    return reader.rows(var.name, any_id=True) if var.type == VarType.SELECTED_ROWS else reader.tensor(var.name)


def _read_single(dirname: str, var: Variable) -> LoDTensor | SelectedRows:
    path = inside(dirname, var.name)
    with _open(path) as file:
        reader = RecordReader(file, path)
        value = _read(reader, var)
        if reader.left:
            raise EnforceNotMet(f"{reader.what}: {reader.left} bytes are left over after the tensor")
    return value


def _read_all(file: IO[bytes], path: str, chosen: list[Variable]) -> dict[str, LoDTensor | SelectedRows]:
    reader = RecordReader(file, path)
    values = {var.name: _read(reader, var) for var in sorted(chosen, key=lambda var: var.name)}
    if reader.left:
        raise EnforceNotMet(f"{path}: {reader.left} bytes are left over after {len(chosen)} variables")
    return values


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


def _open(path: str) -> IO[bytes]:
    try:
        return open(path, "rb")
    except FileNotFoundError:
        raise NotFoundError(f"load_vars: there is no file {path!r}") from None
    except IsADirectoryError:
        raise NotFoundError(f"load_vars: {path!r} is a folder") from None
