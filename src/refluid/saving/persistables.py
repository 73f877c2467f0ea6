"""save_persistables and load_persistables of fluid.dygraph in 1.4 and 1.5: a folder with a file per parameter."""

from __future__ import annotations

import os
import warnings
from collections import OrderedDict
from typing import Any

from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.saving.files import inside, saving, settle
from refluid.saving.pickle_writer import write_pickle
from refluid.saving.state_file import as_plain, read_state
from refluid.saving.tensor_file import RecordReader, write_tensor
from refluid.tensor.lod_tensor import LoDTensor

_OPTIMIZERS = "optimizers"
_NONE_LOADED = (
    "No optimizer loaded. If you didn't save optimizer, please ignore this. "
    "The program can still work with new optimizer. "
)


def save_layer_persistables(model_dict: dict[str, Any], dirname: str = "save_dir", optimizers: Any = None) -> None:
    """Write the parameters of `Layer.state_dict()` to a folder.

    Args:
        optimizers: whose state to write too (1.5), one or a list; a str is the name of one file for all parameters
            (1.4).
    """
    if not isinstance(model_dict, dict) or not all(isinstance(v, VarBase) for v in model_dict.values()):
        raise ArgumentError("save_persistables: model_dict must be what Layer.state_dict() gives")
    filename = optimizers if isinstance(optimizers, str) else None
    chosen = [] if filename is not None or optimizers is None else optimizers
    values = {var.name: LoDTensor.of(var._t) for var in model_dict.values()}
    with saving(dirname) as save:
        if filename is not None:
            with save.open(filename) as file:
                for name in sorted(values):
                    write_tensor(file, values[name])
        else:
            for name, tensor in values.items():
                with save.open(name) as file:
                    write_tensor(file, tensor)
        for optimizer in chosen if isinstance(chosen, list | tuple) else [chosen]:
            state = as_plain(optimizer.state_dict())
            if state:
                with save.open(os.path.join(_OPTIMIZERS, str(optimizer._name))) as file:
                    write_pickle(state, file)
            else:
                warnings.warn("save_persistables: the optimizer has no state to save", stacklevel=2)


def load_layer_persistables(dirname: Any = "save_dir", *more: Any, filename: str | None = None) -> Any:
    """Read what `save_persistables` wrote.

    `load_persistables(dirname)` gives ({parameter name: variable}, {optimizer name: state}) (1.5);
    `load_persistables(state_dict, dirname, filename=None)` the parameters of `state_dict` alone (1.4).
    """
    if isinstance(dirname, dict):
        return _load_known(dirname, *more, **({} if filename is None else {"filename": filename}))
    if more or filename is not None:
        raise ArgumentError("load_persistables: takes a folder, or a state_dict, a folder and the name of a file")
    if not os.path.isdir(dirname):
        raise NotFoundError(f"load_persistables: there is no folder {dirname!r}")
    settle(dirname)
    params: OrderedDict[str, VarBase] = OrderedDict()
    for path, folders, names in os.walk(dirname):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and (path != dirname or f != _OPTIMIZERS))
        for name in sorted(names):
            full = os.path.join(path, name)
            key = os.path.relpath(full, dirname)
            params[key] = _variable(key, _read([key], full)[key])
    states = {}
    folder = os.path.join(dirname, _OPTIMIZERS)
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        states[name] = read_state(os.path.join(folder, name))
    if not states:
        print(_NONE_LOADED)  # in these words, as Fluid 1.5 says it
    return params, states


def _load_known(state_dict: dict[str, Any], dirname: str = "save_dir", filename: str | None = None) -> Any:
    settle(dirname)
    names = [var.name for var in state_dict.values()]
    if filename is not None:
        tensors = _read(sorted(names), os.path.join(dirname, filename))
    else:
        tensors = {name: _read([name], inside(dirname, name))[name] for name in names}
    return OrderedDict((name, _variable(name, tensors[name])) for name in names)


def _read(names: list[str], path: str) -> dict[str, LoDTensor]:
    try:
        with open(path, "rb") as file:
            reader = RecordReader(file, path)
            found = {name: reader.tensor(name) for name in names}
    except FileNotFoundError:
        raise NotFoundError(f"load_persistables: there is no file {path!r}") from None
    if reader.left:
        raise EnforceNotMet(f"{path}: {reader.left} bytes are left over after {len(names)} variables")
    return found


def _variable(name: str, tensor: LoDTensor) -> VarBase:
    return ParamBase(tensor.value(), name)
