"""The state of a model in files: parameters in .pdparams, the optimizer in .pdopt."""

from __future__ import annotations

import os
import re
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from refluid.core.errors import EnforceNotMet, NotFoundError
from refluid.eager.variable import VarBase
from refluid.optim.accumulators import mismatch
from refluid.saving.files import saving, settle
from refluid.saving.pickle_writer import write_pickle
from refluid.saving.state_file import NAMES_KEY, OPTIMIZER, PARAMS, check_path, read_state, stem
from refluid.saving.variables import put
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import global_scope

if TYPE_CHECKING:
    from refluid.hapi.model import Model
    from refluid.ir.base_variable import BaseVariable
    from refluid.optim.optimizer import Optimizer


def save(model: Model, path: str) -> None:
    """Write both files, which appear together or not at all."""
    folder, name = os.path.split(check_path("save", path))
    variables = model.state_dict()
    params: dict[str, Any] = {key: value_of(var) for key, var in variables.items()}
    params[NAMES_KEY] = {key: var.name for key, var in variables.items()}
    optimizer = None if model._optimizer is None else model._runner.optimizer_state(model._optimizer)
    with saving(folder) as files:
        with files.open(name + PARAMS) as file:
            write_pickle(params, file)
        if optimizer is not None:
            with files.open(name + OPTIMIZER) as file:
                write_pickle(optimizer, file)


def load(model: Model, path: str, skip_mismatch: bool, reset_optimizer: bool) -> None:
    """Set parameters and optimizer from files; nothing changes unless all parameters match."""
    path = stem(check_path("load", path))
    settle(os.path.dirname(path))
    if not os.path.isfile(path + PARAMS):
        raise NotFoundError(f"load: there is no file {path + PARAMS!r}")
    params = read_state(path + PARAMS)
    names = params.pop(NAMES_KEY, {})
    optimizer = None
    if not reset_optimizer and os.path.isfile(path + OPTIMIZER):
        optimizer = Restored(read_state(path + OPTIMIZER), names, skip_mismatch)
    own = model.state_dict()
    if own and not any(key in params for key in own):  # fluid.save names parameters as the program does
        params = {key: params[var.name] for key, var in own.items() if var.name in params}
    _name_shared(own, params)
    problems = [(key, problem) for key, var in own.items() if (problem := _mismatch(params.get(key), var))]
    if problems and not skip_mismatch:
        raise EnforceNotMet(
            f"load: {len(problems)} of {len(own)} parameters do not match {path + PARAMS}; nothing was loaded", problems
        )
    for key, problem in problems:
        warnings.warn(f"load: {key} keeps its value: {path + PARAMS} {problem}", stacklevel=3)
        params[key] = value_of(own[key])
    fitting = None
    if model._optimizer is not None:
        fitting = _reset_state(model._optimizer) if optimizer is None else optimizer.fitted(model)
    model.set_dict(params)
    if fitting is None:
        model._restored = optimizer
    else:
        fitting.set()


def _name_shared(own: dict[str, Any], params: dict[str, Any]) -> None:
    """What is shared in the model has several names there; one of them in the file is enough."""
    known = {var.name: params[key] for key, var in own.items() if key in params}
    for key, var in own.items():
        if key not in params and var.name in known:
            params[key] = known[var.name]


class Restored:
    """The state of an optimizer from a file, and under which names the parameters were saved.

    Accumulators are named after their parameters, and parameters by counting layers: a model made second in a process
    has other names than the one that was saved. The names of parameters inside the model tell which is which.
    """

    def __init__(self, values: dict[str, Any], names: dict[str, str], skip_mismatch: bool):
        self.values = {key: value for key, value in values.items() if key != NAMES_KEY}
        self.names, self.skip_mismatch = names, skip_mismatch

    def of(self, param: str, prefix: str) -> Any:
        """What was saved as `prefix` of the parameter, whatever number ends its name; None if nothing."""
        pattern = re.compile(re.escape(f"{param}_{prefix}") + r"_\d+$")
        return next((value for key, value in self.values.items() if pattern.match(key)), None)

    def fitted(self, model: Model) -> Fitted:
        """What goes where in the optimizer of the model; an error lists all that does not match."""
        optimizer = model._optimizer
        params = {key: var for key, var in model.state_dict().items() if getattr(var, "trainable", False)}
        saved = {var.name: var.name for var in params.values()}
        saved |= {var.name: self.names[key] for key, var in params.items() if key in self.names}
        known = [var for var in params.values() if any(key.startswith(saved[var.name] + "_") for key in self.values)]
        model._runner.expect_state(optimizer, known, self.values)
        values, problems = [], []
        for kind, of_params in optimizer._accumulators.items():
            for name, var in of_params.items():
                value = self.of(saved.get(name, name), kind)
                problem = _mismatch(value, var)
                if problem:
                    problems.append((var.name, problem))
                else:
                    values.append((var, value))
        if problems and self.skip_mismatch:
            kept = ", ".join(name for name, _ in problems)
            warnings.warn(f"load: the saved optimizer does not match; these keep their values: {kept}", stacklevel=4)
        elif problems:
            raise EnforceNotMet(
                f"load: the saved optimizer does not match this {type(optimizer).__name__}; give reset_optimizer=True "
                "to start with a new one",
                problems,
            )
        others = model._runner.other_state(optimizer)
        values += [(var, self.values[var.name]) for var in others if var.name in self.values]
        return Fitted(optimizer, values, model._runner.schedule_in(self.values))


class Fitted(NamedTuple):
    """Values for the variables of an optimizer, all of which match."""

    optimizer: Optimizer
    values: list[tuple[Any, Any]]
    schedule: dict[str, Any]  # of the imperative mode, where a schedule is an object

    def set(self) -> None:
        if self.schedule:
            self.optimizer._rate.restore(self.schedule)
        for var, value in self.values:
            _set(var, value)


def _reset_state(optimizer: Optimizer) -> Fitted:
    """Its accumulators belong to other parameters than those that are loaded."""
    return Fitted(optimizer, optimizer._accumulators.first_values(), {})


def _mismatch(value: object, var: BaseVariable) -> str | None:
    if value is None:
        return "has no such entry"
    return mismatch(value, var)


def value_of(var: BaseVariable) -> np.ndarray:
    """A copy of a variable of either mode."""
    if isinstance(var, VarBase):
        return np.ascontiguousarray(var.numpy())
    held = global_scope().find_var(var.name)
    if held is None or not held.is_initialized():
        raise NotFoundError(f"save: {var.name} has no value in this scope; call prepare() in the scope it runs in")
    return np.array(held.get_tensor())


def _set(var: BaseVariable, value: object) -> None:
    if isinstance(var, VarBase):
        var.set_value(np.asarray(value))
    else:
        put(var.name, LoDTensor.of(torch.from_numpy(np.array(value))), None)
