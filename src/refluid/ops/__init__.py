"""ops: the operator library, one file per operator. Importing this package registers every operator."""

import importlib
import pkgutil

from refluid.core.memory import keep_freed_memory


def _load(package: str, path: list[str]) -> None:
    for info in pkgutil.iter_modules(path):
        name = f"{package}.{info.name}"
        module = importlib.import_module(name)
        if info.ispkg:
            _load(name, list(module.__path__))


keep_freed_memory()
_load(__name__, list(__path__))
