"""fluid.save and fluid.load: a program with its parameters and the state of its optimizer in three files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from refluid.core import dtypes
from refluid.core.errors import ArgumentError, DtypeError, EnforceNotMet, NotFoundError, ShapeError
from refluid.core.warn import warn_once
from refluid.executor.executor import Executor
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.saving.files import saving, settle
from refluid.saving.pickle_writer import write_pickle
from refluid.saving.program_file import to_bytes
from refluid.saving.state_file import MODEL, NAMES_KEY, OPTIMIZER, PARAMS, check_path, read_state, stem
from refluid.saving.tensor_file import RecordReader
from refluid.saving.variables import is_persistable, load_vars, only_at_servers, program_of, put
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import global_scope
from refluid.tensor.selected_rows import SelectedRows


def save(program: Program, model_path: str) -> None:
    """Write `model_path`.pdparams (parameters), .pdopt (all other persistables) and .pdmodel (the program).

    Args:
        program: the program whose variables are in the global scope.
        model_path: folder and name, without a suffix.

    Returns:
        None.

    Example:
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> fluid.save(fluid.default_main_program(), "folder/model")
        >>> state = fluid.io.load_program_state("folder/model")
        >>> sorted(state), state["fc_0.w_0"].shape
        (['fc_0.b_0', 'fc_0.w_0'], (3, 2))
    """
    program = program_of("save", program)
    folder, name = os.path.split(check_path("save", model_path))
    persistables = [var for var in program.list_vars() if is_persistable(var)]
    known = only_at_servers("save", program, persistables)
    params = {var.name: _array(var, known) for var in persistables if var.is_parameter}
    others = {var.name: _array(var, known) for var in persistables if not var.is_parameter}
    with saving(folder) as files:
        for suffix, state in ((PARAMS, params), (OPTIMIZER, others)):
            with files.open(name + suffix) as file:
                write_pickle(state, file)
        with files.open(name + MODEL) as file:
            file.write(to_bytes(program))


def load(
    program: Program, model_path: str, executor: Executor | None = None, var_list: Sequence[Variable] | None = None
) -> None:
    """Set the persistables of a program from the files of `save`; nothing changes unless all fit.

    Args:
        program: the program, or its CompiledProgram.
        model_path: as given to `save`, with or without a suffix. Where there is no .pdparams, a folder of `save_vars`,
            `save_params` or `save_persistables`, or a combined file of theirs together with `var_list`.
        executor: the executor on whose device the values are put; None for the CPU.
        var_list: the variables to read from such a folder or file.

    Returns:
        None.

    Example:
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> fluid.save(fluid.default_main_program(), "model")
        >>> fluid.load(fluid.default_main_program(), "model", exe)
    """
    program = program_of("load", program)
    path = stem(check_path("load", model_path))
    settle(os.path.dirname(path))
    if not os.path.isfile(path + PARAMS):
        _load_variables(program, path, executor, var_list)
        return
    wanted = [var for var in program.list_vars() if is_persistable(var)]
    params = [var for var in wanted if var.is_parameter]
    values = _values_of(params, read_state(path + PARAMS), path + PARAMS)
    others = [var for var in wanted if not var.is_parameter]
    if others:
        values += _values_of(others, read_state(path + OPTIMIZER), path + OPTIMIZER)
    for var, array in values:
        put(var.name, LoDTensor.of(torch.from_numpy(array)), executor)


def load_program_state(model_path: str, var_list: Sequence[Variable] | None = None) -> dict[str, np.ndarray]:
    """Read the files of `save` without a program.

    Args:
        model_path: as given to `save`, or a folder or combined file as `load` takes them.
        var_list: the variables to read from such a folder or file.

    Returns:
        {variable name: numpy array}.
    """
    path = stem(os.path.normpath(check_path("load_program_state", model_path)))
    settle(os.path.dirname(path))
    if os.path.isfile(path + PARAMS):
        state = read_state(path + PARAMS)
        if os.path.isfile(path + OPTIMIZER):
            state.update(read_state(path + OPTIMIZER))
        state.pop(NAMES_KEY, None)
        return state
    if os.path.isdir(path):
        settle(path)
        names = [var.name for var in var_list] if var_list is not None else _tensor_files(path)
        return {name: _read([name], os.path.join(path, name))[name] for name in names}
    if os.path.isfile(path):
        if not var_list:
            raise ArgumentError(f"load_program_state: {path!r} holds several variables; var_list must name them")
        return _read(sorted(var.name for var in var_list), path)
    warn_once(f"load_program_state: there is neither {path + PARAMS!r} nor {path!r}; the state is empty, as in Fluid")
    return {}


def set_program_state(program: Program, state_dict: dict[str, np.ndarray]) -> None:
    """Set persistables of a program that has values already; nothing changes unless all fit.

    Args:
        program: the program; its startup program has been run.
        state_dict: {variable name: array}, of the shapes and dtypes of the variables. Names that the program does not
            have are told by a warning.

    Returns:
        None.
    """
    program = program_of("set_program_state", program)
    used, values = set(), []
    for var in program.list_vars():
        if not is_persistable(var) or var.name not in state_dict:
            continue
        held = global_scope().find_var(var.name)
        if held is None or not held.is_initialized():
            raise NotFoundError(f"set_program_state: {var.name} has no value yet; run the startup program first")
        tensor = held.get_tensor()
        _check(var.name, np.asarray(state_dict[var.name]), tensor.shape(), tensor.value().dtype, "set_program_state")
        values.append((var.name, np.array(state_dict[var.name]), tensor.value().device))
        used.add(var.name)
    for name, array, device in values:
        put(name, LoDTensor.of(torch.from_numpy(array).to(device)), None)
    unused = [name for name in state_dict if name not in used]
    if unused:
        warnings.warn(f"set_program_state: the program has no use for {', '.join(unused)}", stacklevel=2)


def arrays_of(program: Program) -> dict[str, np.ndarray]:
    """Copies of all persistables of a program in the global scope."""
    return {var.name: _array(var) for var in program.list_vars() if is_persistable(var)}


def _load_variables(
    program: Program, path: str, executor: Executor | None, var_list: Sequence[Variable] | None
) -> None:
    known = {var.name: var for var in program.list_vars()}
    for var in var_list or []:
        if var.name not in known:
            raise NotFoundError(f"load: the program has no variable {var.name!r}, which var_list names")
    if os.path.isdir(path):
        settle(path)
        files = _tensor_files(path)
        wanted = (
            var_list
            if var_list is not None
            else [var for name, var in known.items() if name in files and is_persistable(var)]
        )
        if not wanted:
            raise NotFoundError(f"load: no file in {path!r} has the name of a persistable variable of the program")
        load_vars(executor, path, program, wanted)
    elif os.path.isfile(path):
        if not var_list:
            raise ArgumentError(f"load: {path!r} holds several variables; var_list must name them")
        load_vars(executor, os.path.dirname(path) or ".", program, var_list, filename=os.path.basename(path))
    else:
        raise NotFoundError(f"load: there is neither {path + PARAMS!r} nor {path!r}")


def _array(var: Variable, known: Mapping[str, Any] = MappingProxyType({})) -> np.ndarray:
    if isinstance(known.get(var.name), SelectedRows):
        raise DtypeError(
            f"save: {var.name} is a table whose rows have ids of any size, which is no array; save_persistables lets "
            "servers write their rows"
        )
    if var.name in known:
        return np.array(known[var.name])
    held = global_scope().find_var(var.name)
    if held is None or not held.is_initialized():
        raise NotFoundError(f"save: {var.name} has no value in the scope; run the startup program first")
    return np.array(held.get_tensor())


def _values_of(wanted: list[Variable], state: dict[str, Any], path: str) -> list[tuple[Variable, np.ndarray]]:
    values = []
    for var in wanted:
        if var.name not in state:
            raise NotFoundError(f"load: {path!r} has no {var.name}")
        array = np.asarray(state[var.name])
        _check(var.name, array, list(var.shape) or list(array.shape), dtypes.TORCH[var.dtype], path)
        values.append((var, array))
    return values


def _check(name: str, array: np.ndarray, shape: list[int], dtype: torch.dtype, where: str) -> None:
    if len(shape) != array.ndim or any(want not in (-1, got) for want, got in zip(shape, array.shape, strict=True)):
        raise ShapeError(f"{where}: {name} has the shape {list(array.shape)}, the program's is {shape}")
    if array.dtype != np.dtype(dtypes.TORCH_NAME[dtype]):
        raise DtypeError(f"{where}: {name} is {array.dtype}, the program's is {dtypes.TORCH_NAME[dtype]}")


def _tensor_files(folder: str) -> list[str]:
    """The files that can be variables, by their paths in the folder."""
    files = []
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [
            os.path.relpath(os.path.join(path, name), folder) for name in names if not name.startswith("__model__")
        ]
    return sorted(files)


def _read(names: list[str], path: str) -> dict[str, np.ndarray]:
    try:
        with open(path, "rb") as file:
            reader = RecordReader(file, path)
            arrays = {name: np.asarray(reader.tensor(name).value()) for name in names}
    except FileNotFoundError:
        raise NotFoundError(f"load_program_state: there is no file {path!r}") from None
    if reader.left:
        raise EnforceNotMet(f"{path}: {reader.left} bytes are left over after {len(names)} variables")
    return arrays
