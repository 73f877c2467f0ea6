"""Unique names: one counter per prefix, `fc_0`, `fc_1`, ...; a guard starts the counters afresh."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from weakref import WeakValueDictionary


class UniqueNameGenerator:
    def __init__(self, prefix: str = ""):
        self.prefix = prefix
        self.parameters: WeakValueDictionary[str, Any] = WeakValueDictionary()  # of the imperative mode
        self.ids: defaultdict[str, int] = defaultdict(int)

    def __call__(self, key: str) -> str:
        number = self.ids[key]
        self.ids[key] = number + 1
        return f"{self.prefix}{key}_{number}"


_generator = UniqueNameGenerator()


def generate(key: str) -> str:
    """The next name with this prefix."""
    return _generator(key)


def register_parameter(name: str, param: Any) -> bool:
    """Note the name of a parameter of the imperative mode; False if another one has it."""
    return _generator.parameters.setdefault(name, param) is param


def switch(new_generator: Any = None, new_para_name_checker: Any = None) -> tuple[UniqueNameGenerator, None]:
    """Put another generator (a fresh one by default) in place.

    Returns (old generator, None), as 1.8.5 does, whose second part checked the names of imperative parameters. Either
    the pair or its first part may be given back, as 1.5 gave a generator alone.
    """
    global _generator
    if isinstance(new_generator, tuple):
        new_generator = new_generator[0]
    old, _generator = _generator, UniqueNameGenerator() if new_generator is None else new_generator
    return old, None


@contextlib.contextmanager
def guard(new_generator: str | bytes | UniqueNameGenerator | None = None) -> Iterator[None]:
    """Count afresh inside; a str becomes a prefix of every name."""
    if isinstance(new_generator, bytes):
        new_generator = new_generator.decode()
    if isinstance(new_generator, str):
        new_generator = UniqueNameGenerator(new_generator)
    old = switch(new_generator)
    try:
        yield
    finally:
        switch(old)
