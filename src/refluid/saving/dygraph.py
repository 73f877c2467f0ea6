"""save_dygraph and load_dygraph: the state of layers and optimizers of the imperative mode."""

from __future__ import annotations

import os
from typing import Any

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.saving.state_file import NAMES_KEY, OPTIMIZER, PARAMS, as_plain, check_path, read_state, stem, write_state


def save_dygraph(state_dict: dict[str, Any], model_path: str) -> None:
    """Write a state dictionary: of a layer to `model_path`.pdparams, of an optimizer to `model_path`.pdopt.

    Args:
        state_dict: what `Layer.state_dict()` or an optimizer's `state_dict()` gives.
        model_path: folder and name, without a suffix.
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


def load_dygraph(model_path: str, keep_name_table: bool = False) -> tuple[Any, Any]:
    """(state of the model, state of the optimizer); None in place of what has no file.

    Args:
        model_path: as given to `save_dygraph`, with or without a suffix.
        keep_name_table: keep the entry that tells parameter names by structured names.
    """
    path = stem(check_path("load_dygraph", model_path))
    found = [read_state(path + suffix) if os.path.isfile(path + suffix) else None for suffix in (PARAMS, OPTIMIZER)]
    if found == [None, None]:
        raise NotFoundError(f"load_dygraph: there is neither {path + PARAMS!r} nor {path + OPTIMIZER!r}")
    if not keep_name_table:
        for state in found:
            if state is not None:
                state.pop(NAMES_KEY, None)
    return found[0], found[1]
