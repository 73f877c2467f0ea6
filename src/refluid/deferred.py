"""Names that a module of `paddle` has, and that are loaded when somebody asks for them.

`import paddle.fluid` would load the whole engine, of which a program uses a small part. The packages that bring most of
it hold their imports in an `if TYPE_CHECKING:` block, where editors and type checkers read them, and end with
`__getattr__, __dir__ = names_of(__name__)`, which finds the same names in a table (`deferred_names.py`, written by
tools/list_deferred_names.py). `dir()`, `help()`, `from ... import name` and `import *` work as ever.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from refluid.deferred_names import BY_MODULE, WITHOUT_MODULES
from refluid.incidental import load, names_of as incidental_names_of


def names_of(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a module whose names are listed."""
    incidental = incidental_names_of(module)

    def __getattr__(name: str) -> Any:
        if name == "__all__":
            return star(module)
        where = names(module).get(name)
        if where is None:
            return incidental(name)
        value = load(where)
        setattr(sys.modules[module], name, value)  # found without this function from now on
        return value

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[module]), *names(module)})

    return __getattr__, __dir__


@functools.cache
def names(module: str) -> dict[str, str]:
    """{name: where it is, as 'module:attribute' or 'module'}."""
    locations = {}
    for source, listed in BY_MODULE[module].items():
        for entry in listed.split():
            name, _, own = entry.partition("=")
            locations[name] = f"{source}.{own or name}" if source == module else f"{source}:{own or name}"
    return locations


def star(module: str) -> list[str]:
    """What `import *` brings: all names, in some packages without the modules."""
    loaded = vars(sys.modules[module])
    found = [name for name in loaded if not hasattr(loaded[name], "__spec__") or module not in WITHOUT_MODULES]
    found += [name for name, where in names(module).items() if ":" in where or module not in WITHOUT_MODULES]
    return sorted({name for name in found if name[0] != "_"})
