"""Unique names: one counter per prefix, `fc_0`, `fc_1`, ...; a guard starts the counters afresh."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from weakref import WeakValueDictionary

from refluid.core import mode


class UniqueNameGenerator:
    def __init__(self, prefix: str | None = None):
        self.prefix = prefix or ""
        self.parameters: WeakValueDictionary[str, Any] = WeakValueDictionary()  # of the imperative mode
        self.ids: defaultdict[str, int] = defaultdict(int)

    def __call__(self, key: str) -> str:
        number = self.ids[key]
        self.ids[key] = number + 1
        return f"{self.prefix}{key}_{number}"


class DygraphParameterNameChecker:
    """Tells whether a name was asked for before: what programs check the names of imperative parameters with."""

    def __init__(self) -> None:
        self._asked: set[str] = set()

    def __call__(self, name: str) -> bool:
        used = name in self._asked or name in _generator.parameters
        self._asked.add(name)
        return used


_generator = UniqueNameGenerator()
_checker = DygraphParameterNameChecker()


def generate(key: str) -> str:
    """The next name with this prefix."""
    return _generator(key)


def generate_with_ignorable_key(key: str) -> str:
    """The next name with this prefix; in the imperative mode with the prefix `tmp`, as nobody looks for it by name."""
    return _generator("tmp" if mode.current.imperative else key)


def register_parameter(name: str, param: Any) -> bool:
    """Note the name of a parameter of the imperative mode; False if another one has it."""
    return _generator.parameters.setdefault(name, param) is param


def switch(
    new_generator: Any = None, new_para_name_checker: Any = None
) -> tuple[UniqueNameGenerator, DygraphParameterNameChecker]:
    """Put another generator, and another checker of parameter names, in place; fresh ones by default.

    Returns the old ones. Either the pair or its first part may be given back, as 1.5 gave a generator alone.
    """
    global _generator, _checker
    if isinstance(new_generator, tuple):
        new_generator, new_para_name_checker = new_generator
    old = _generator, _checker
    _generator = UniqueNameGenerator() if new_generator is None else new_generator
    _checker = DygraphParameterNameChecker() if new_para_name_checker is None else new_para_name_checker
    return old


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
