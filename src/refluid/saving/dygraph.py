"""The state of layers and optimizers in files: save_dygraph (1.6 and later), save_persistables (1.4 and 1.5)."""

from __future__ import annotations

import os
import warnings
from collections import OrderedDict
from collections.abc import Sequence
from inspect import signature
from typing import Any

from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError
from refluid.core.generations import generations, older
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.optim import decay
from refluid.optim.optimizer import Optimizer
from refluid.saving.files import inside, saving, settle
from refluid.saving.pickle_values import SCHEDULE
from refluid.saving.pickle_writer import write_pickle
from refluid.saving.state_file import NAMES_KEY, OPTIMIZER, PARAMS, as_plain, check_path, read_state, stem, write_state
from refluid.saving.tensor_file import RecordReader, write_tensor
from refluid.tensor.lod_tensor import LoDTensor

_OPTIMIZERS = "optimizers"
_NONE_LOADED = (
    "No optimizer loaded. If you didn't save optimizer, please ignore this. "
    "The program can still work with new optimizer. "
)


def save_dygraph(state_dict: dict[str, Any], model_path: str) -> None:
    """Write a state dictionary: of a layer to `model_path`.pdparams, of an optimizer to `model_path`.pdopt.

    Args:
        state_dict: what `Layer.state_dict()` or an optimizer's `state_dict()` returns.
        model_path: folder and name, without a suffix.

    Returns:
        None.

    Example:
        >>> with fluid.dygraph.guard():
        ...     model = fluid.dygraph.Linear(3, 2)
        ...     fluid.save_dygraph(model.state_dict(), "folder/model")
        ...     params, _ = fluid.load_dygraph("folder/model")
        >>> {name: value.shape for name, value in params.items()}
        {'weight': (3, 2), 'bias': (2,)}
    """
    check_path("save_dygraph", model_path)
    if not isinstance(state_dict, dict):
        raise ArgumentError(f"save_dygraph: state_dict must be a dict, got {type(state_dict).__name__}")
    if not state_dict:
        raise ArgumentError("save_dygraph: state_dict is empty, there is nothing to save")
    # Fluid: one parameter in it makes it the state of a model
    suffix = PARAMS if any(isinstance(value, ParamBase) for value in state_dict.values()) else OPTIMIZER
    plain = {name: as_plain(value) for name, value in state_dict.items() if name != NAMES_KEY}
    plain[NAMES_KEY] = {name: value.name for name, value in state_dict.items() if isinstance(value, VarBase)}
    write_state(model_path + suffix, plain)


def load_dygraph(model_path: str, keep_name_table: bool = False) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Read state dictionaries that `save_dygraph` wrote.

    Args:
        model_path: as given to `save_dygraph`, with or without a suffix.
        keep_name_table: keep the entry that tells parameter names by structured names.

    Returns:
        (state of the model, state of the optimizer), as dictionaries of arrays; None in place of what has no file.

    Example:
        >>> with fluid.dygraph.guard():
        ...     model = fluid.dygraph.Linear(3, 2)
        ...     fluid.save_dygraph(model.state_dict(), "model")
        ...     params, optimizer = fluid.load_dygraph("model")
        ...     model.set_dict(params)
        >>> optimizer is None
        True
    """
    path = stem(check_path("load_dygraph", model_path))
    states = [read_state(path + suffix) if os.path.isfile(path + suffix) else None for suffix in (PARAMS, OPTIMIZER)]
    if states == [None, None]:
        raise NotFoundError(f"load_dygraph: there is neither {path + PARAMS!r} nor {path + OPTIMIZER!r}")
    if not keep_name_table:
        for state in states:
            if state is not None:
                state.pop(NAMES_KEY, None)
    return states[0], states[1]


def _names_a_file(args: tuple, kwargs: dict[str, Any]) -> bool:
    return "filename" in kwargs or (len(args) > 2 and isinstance(args[2], str))


@generations
def save_persistables(
    model_dict: dict[str, Any], dirname: str = "save_dir", optimizers: Optimizer | Sequence[Optimizer] | None = None
) -> None:
    """Write the parameters of `Layer.state_dict()` to a folder, one file each (1.4 and 1.5).

    Args:
        model_dict: what `Layer.state_dict()` returns.
        dirname: the folder, made if it does not exist.
        optimizers: an optimizer, or a list of them, whose state to write too.

    Returns:
        None.
    """
    values = _values(model_dict)
    chosen: Any = [] if optimizers is None else optimizers
    with saving(dirname) as save:
        for name, tensor in values.items():
            with save.open(name) as file:
                write_tensor(file, tensor)
        for optimizer in chosen if isinstance(chosen, list | tuple) else [chosen]:
            state = as_plain(optimizer.state_dict())
            if state:
                with save.open(os.path.join(_OPTIMIZERS, str(optimizer._name))) as file:
                    write_pickle(state, file)
            else:
                warnings.warn("save_persistables: the optimizer has no state to save", stacklevel=3)


@older(save_persistables, before="1.5", when=_names_a_file)
def _save_persistables_1_4(vardict: dict[str, Any], dirname: str, filename: str | None = None) -> None:
    """With a filename, all parameters go to one file."""
    if filename is None:
        return save_persistables(vardict, dirname)
    values = _values(vardict)
    with saving(dirname) as save, save.open(filename) as file:
        for name in sorted(values):
            write_tensor(file, values[name])


def _values(model_dict: dict[str, Any]) -> dict[str, LoDTensor]:
    if not isinstance(model_dict, dict) or not all(isinstance(v, VarBase) for v in model_dict.values()):
        raise ArgumentError("save_persistables: model_dict must be what Layer.state_dict() gives")
    return {var.name: LoDTensor.of(var._t) for var in model_dict.values()}


@generations
def load_persistables(dirname: str = "save_dir") -> tuple[dict[str, VarBase], dict[str, Any]]:
    """Read what `save_persistables` of the imperative mode wrote.

    Args:
        dirname: the folder.

    Returns:
        ({parameter name: variable}, {optimizer name: state}).

    Example:
        >>> with fluid.dygraph.guard():
        ...     linear = fluid.dygraph.Linear(3, 2)
        ...     fluid.dygraph.save_persistables(linear.state_dict(), "model")
        ...     params, optimizers = fluid.dygraph.load_persistables("model")
        ...     sorted((name, value.shape) for name, value in params.items())
        No optimizer loaded. ...
        [('linear_0.b_0', [2]), ('linear_0.w_0', [3, 2])]
    """
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
        states[name] = _state_or_schedule(os.path.join(folder, name))
    if not states:
        print(_NONE_LOADED)  # in these words, as Fluid 1.5 says it
    return params, states


@older(
    load_persistables,
    before="1.5",
    when=lambda args, kwargs: "vardict" in kwargs or isinstance(next(iter(args), None), dict),
)
def _load_persistables_1_4(
    vardict: dict[str, Any], dirname: str = "save_dir", filename: str | None = None
) -> dict[str, VarBase]:
    """The parameters of `Layer.state_dict()` alone."""
    settle(dirname)
    names = [var.name for var in vardict.values()]
    if filename is not None:
        tensors = _read(sorted(names), os.path.join(dirname, filename))
    else:
        tensors = {name: _read([name], inside(dirname, name))[name] for name in names}
    return OrderedDict((name, _variable(name, tensors[name])) for name in names)


def _state_or_schedule(path: str) -> Any:
    """The state of an optimizer; in files of 1.5 itself, the learning-rate schedule is all that there is."""
    state = read_state(path)
    if SCHEDULE not in state:
        return state
    schedule = getattr(decay, state[SCHEDULE])
    names = {"begin": "step_num", "step": "step_size"}
    arguments = {name: state.get(names.get(name, name)) for name in signature(schedule).parameters}
    missing = [name for name, value in arguments.items() if value is None]
    if missing:
        raise EnforceNotMet(f"{path}: the schedule {state[SCHEDULE]} has no {', '.join(missing)}")
    return schedule(**arguments)


def _read(names: list[str], path: str) -> dict[str, LoDTensor]:
    try:
        with open(path, "rb") as file:
            reader = RecordReader(file, path)
            tensors = {name: reader.tensor(name) for name in names}
    except FileNotFoundError:
        raise NotFoundError(f"load_persistables: there is no file {path!r}") from None
    if reader.left:
        raise EnforceNotMet(f"{path}: {reader.left} bytes are left over after {len(names)} variables")
    return tensors


def _variable(name: str, tensor: LoDTensor) -> VarBase:
    return ParamBase(tensor.value(), name)
