"""State files (.pdparams, .pdopt): pickled dictionaries of names and arrays."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError
from refluid.saving.files import replacing
from refluid.saving.pickle_reader import read_pickle
from refluid.saving.pickle_writer import write_pickle

PARAMS, OPTIMIZER, MODEL = ".pdparams", ".pdopt", ".pdmodel"
NAMES_KEY = "StructuredToParameterName@@"


def write_state(path: str, state: dict[str, Any]) -> None:
    with replacing(path) as file:
        write_pickle(state, file)


def read_state(path: str) -> dict[str, Any]:
    """The dictionary in a file; refuses everything that is not arrays and plain containers."""
    try:
        with open(path, "rb") as file:
            state = read_pickle(file, path)
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {path!r}") from None
    except IsADirectoryError:
        raise NotFoundError(f"{path!r} is a folder") from None
    if not isinstance(state, dict) or not all(isinstance(name, str) for name in state):
        raise EnforceNotMet(f"{path}: this is not a state file: it holds no dictionary of names")
    return state


def as_plain(value: object) -> Any:
    """Variables as arrays; containers keep their shape."""
    if hasattr(value, "numpy"):
        return np.ascontiguousarray(value.numpy())
    if isinstance(value, dict):
        return {key: as_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(as_plain(item) for item in value)
    return value


def check_path(what: str, path: object) -> str:
    if not isinstance(path, str) or not os.path.basename(path):
        raise ArgumentError(f"{what}: model_path must be folder/name, got {path!r}")
    return path


def stem(path: str) -> str:
    """The path without the suffix of a state file."""
    for suffix in (PARAMS, OPTIMIZER, MODEL):
        path = path.removesuffix(suffix)
    return path
