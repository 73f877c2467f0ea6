"""State dictionaries of layers: collecting them and taking them back, all or nothing.

Note [Keys that are parameter names]
Dictionaries of 1.4 and 1.5 are keyed by the names of parameters, and there a part of them was enough: the others stay.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core import dtypes
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.places import CPUPlace
from refluid.eager.variable import VarBase
from refluid.ir.base_variable import BaseVariable
from refluid.tensor.scope import global_scope

if TYPE_CHECKING:
    from refluid.nn.layer import Layer

NAMES_KEY = "StructuredToParameterName@@"


def collect(layer: Layer, destination: dict[str, Any] | None, include_sublayers: bool, prefix: str) -> dict[str, Any]:
    """Every entry under every name that leads to it, as in Fluid: what is shared is listed more than once."""
    entries = OrderedDict() if destination is None else destination
    entries.update(_named(layer, "_parameters", prefix, include_sublayers))
    buffers = _named(layer, "_buffers", prefix, include_sublayers)
    entries.update({name: buffer for name, buffer in buffers if buffer.persistable})
    return entries


def _named(
    layer: Layer, kind: str, prefix: str, include_sublayers: bool, above: tuple[Layer, ...] = ()
) -> Iterator[tuple[str, Any]]:
    for name, member in getattr(layer, kind).items():
        if member is not None:
            yield prefix + name, member
    if include_sublayers:
        above = (*above, layer)
        for name, sub in layer._sub_layers.items():
            if sub is not None and sub not in above:  # a layer may hold the one that holds it
                yield from _named(sub, kind, f"{prefix}{name}.", True, above)


def restore(layer: Layer, values: dict[str, Any], include_sublayers: bool, use_structured_name: bool) -> None:
    """Check every entry first; change nothing unless all fit."""
    if not isinstance(values, dict):
        hint = "; load_dygraph gives two: parameters, optimizer" if isinstance(values, tuple) else ""
        raise ArgumentError(f"set_dict: expected a dict of names and values, got {type(values).__name__}{hint}")
    entries = {name: value for name, value in values.items() if name != NAMES_KEY}
    own = layer.state_dict(include_sublayers=include_sublayers)
    by_name = {param.name: name for name, param in own.items()}
    part_is_enough = False  # Note [Keys that are parameter names]
    if use_structured_name and entries and not any(name in own for name in entries):
        use_structured_name, part_is_enough = False, any(name in by_name for name in entries)
    taken, problems, used = [], [], set()
    for structured, param in own.items():
        key = structured if use_structured_name else param.name
        if key not in entries:
            if not part_is_enough:
                problems.append((structured, f"is missing ({param.name}, {list(param.shape)})"))
            continue
        used.add(key)
        problem = _misfit(entries[key], param)
        if problem is not None:
            problems.append((structured, problem))
        else:
            taken.append((param, _array(entries[key])))
    extra = {
        name: entries[name] for name in entries if name not in used and (use_structured_name or name not in by_name)
    }
    unbuilt = any(sub._awaits_inputs() for _, sub in layer.named_sublayers(include_self=True))
    if problems:
        unknown = [] if unbuilt else [(str(name), "is not in the layer") for name in extra]
        raise EnforceNotMet(
            f"set_dict: {len(problems)} of {len(own)} entries do not match {layer.full_name()}; nothing was loaded",
            problems + unknown,
        )
    if extra and not unbuilt:
        warnings.warn(f"set_dict: the layer has no use for {', '.join(map(str, extra))}", stacklevel=3)
    for path, sub in layer.named_sublayers(include_self=True):
        if sub._awaits_inputs():
            sub._waiting = (path, extra)
        elif sub.__dict__.pop("_waiting", None) is not None:
            sub._built = True  # what it had waited for did not fit; now it is restored
    for param, array in taken:
        _set(param, array)


def restore_late(layer: Layer) -> None:
    """Give the parameters that a layer has made from its first inputs what `restore` kept for them.

    The layers of 1.4 and 1.5 have no parameters until they are called, and programs load them before that. What does
    not fit is told at every call, until `restore` has brought what does.
    """
    waiting = layer.__dict__.get("_waiting")
    if waiting is None:
        return
    path, values = waiting
    taken, problems = [], []
    own = dict(layer.named_parameters(path, include_sublayers=False))
    part_is_enough = any(param.name in values for param in own.values())  # Note [Keys that are parameter names]
    for name, param in own.items():
        key = param.name if param.name in values else name
        if key not in values and part_is_enough:
            continue
        problem = _misfit(values[key], param) if key in values else f"is missing ({param.name}, {list(param.shape)})"
        if problem is not None:
            problems.append((key, problem))
        else:
            taken.append((param, _array(values[key])))
    if problems:
        raise EnforceNotMet(
            f"set_dict: the loaded state does not match {layer.full_name()}, which has been built by its first input",
            problems,
        )
    del layer._waiting
    for param, array in taken:
        _set(param, array)


def _misfit(value: object, param: BaseVariable) -> str | None:
    array = _array(value)
    if array.dtype.kind not in "biuf":
        return f"holds no numbers, but {type(value).__name__}"
    if list(array.shape) != list(param.shape):
        return f"has the shape {list(array.shape)}, the layer's is {list(param.shape)}"
    if isinstance(value, np.ndarray | np.generic | VarBase) and array.dtype != dtypes.numpy_dtype(param.dtype):
        return f"has the dtype {array.dtype}, the layer's is {dtypes.numpy_dtype(param.dtype)}"
    return None


def _array(value: object) -> np.ndarray:
    """The value as an array; of dtype object where it is none, as a variable of the other mode."""
    if isinstance(value, BaseVariable) and not isinstance(value, VarBase):
        return np.array(None)
    try:
        return np.asarray(value.numpy() if isinstance(value, VarBase) else value)
    except ValueError:  # a list with rows of different lengths
        return np.array(None)


def _set(param: BaseVariable, array: np.ndarray) -> None:
    if isinstance(param, VarBase):
        param.set_value(array.astype(param.numpy().dtype, copy=False))
    else:
        global_scope().var(param.name).get_tensor().set(array, CPUPlace())
