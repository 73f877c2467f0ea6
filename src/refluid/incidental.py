"""Names that Fluid's modules hold by accident, because they had imported them for themselves.

Programs take them from there (`from paddle.fluid.framework import six`, `fluid.layers.nn.np`), so they can be had here
as well: each module of `paddle` that had some ends with `__getattr__ = names_of(__name__)`. They are looked up when
somebody asks for them; `dir()` and `import *` do not show them.
"""

from __future__ import annotations

import functools
import importlib
import operator
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from typing import Any

from refluid.core.per_thread import PerThread
from refluid.incidental_names import BY_MODULE, SOURCES

# Variables of Fluid's modules that change: they are read from the engine at every access. And the classes
# of collections that one module has under names of its own.
LIVE = {
    "paddle.fluid.executor": "g_scope=refluid.tensor.scope:_current",
    "paddle.fluid.framework": (
        "_main_program_=refluid.ir.program:_main _startup_program_=refluid.ir.program:_startup "
        "global_prog_seed=refluid.ir.program:Program.seed_of_new_ones"
    ),
    "paddle.incubate.hapi.vision.transforms.transforms": (
        "Iterable=collections.abc:Iterable Sequence=collections.abc:Sequence"
    ),
    "paddle.fluid.unique_name": (
        "generator=refluid.core.unique_name:_generator dygraph_parameter_name_checker=refluid.core.unique_name:_checker"
    ),
}


def names_of(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module: it finds the names that are listed for it, and the modules of a package.

    A package of Fluid has its modules as attributes, because it imports them all; here they may not be loaded yet.
    """

    def __getattr__(name: str) -> Any:
        if name in names(module):
            return load(names(module)[name])
        if not name.startswith("__") and _is_module_of(module, name):
            return load(f"{module}.{name}")
        # With its module, Python adds which name was probably meant.
        raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules.get(module))

    return __getattr__


def _is_module_of(package: str, name: str) -> bool:
    places = getattr(sys.modules.get(package), "__path__", None)
    return places is not None and PathFinder.find_spec(f"{package}.{name}", places) is not None


@functools.cache
def names(module: str) -> dict[str, str]:
    """{name: where it is, as 'module:attribute' or 'module'} of the names that are listed for a module."""
    found = {}
    for entry in f"{BY_MODULE.get(module, '')} {LIVE.get(module, '')}".split():
        name, _, where = entry.partition("=")
        found[name] = where or usual_places()[name]
    return found


@functools.cache
def usual_places() -> dict[str, str]:
    """{name: where it is} for names that mean the same in every module."""
    locations = {}
    for source, listed in SOURCES.items():
        for entry in listed.split():
            name, _, own = entry.partition("=")
            locations[name] = (own or name) if source == "modules" else f"{source}:{own or name}"
    return locations


def load(where: str) -> Any:
    """The module 'a.b', or the attribute 'c' of it, written 'a.b:c'."""
    module, _, attribute = where.partition(":")
    try:
        loaded = importlib.import_module(module)
    except ImportError as error:
        raise AttributeError(f"this name is the package {module!r}, which is not installed ({error})") from error
    value = operator.attrgetter(attribute)(loaded) if attribute else loaded
    return value.get() if isinstance(value, PerThread) else value
