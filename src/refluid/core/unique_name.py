"""Unique names: one counter per prefix, `fc_0`, `fc_1`, ...; a guard starts the counters afresh."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from weakref import WeakValueDictionary

from refluid.core import mode
from refluid.core.per_thread import PerThread


class UniqueNameGenerator:
    """Makes names with one counter per key: `fc_0`, `fc_1`, ...

    Args:
        prefix: put before every name.
    """

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
        used = name in self._asked or name in _generator.get().parameters
        self._asked.add(name)
        return used


_generator: PerThread[UniqueNameGenerator] = PerThread("generator", UniqueNameGenerator())
_checker: PerThread[DygraphParameterNameChecker] = PerThread("checker", DygraphParameterNameChecker())


def generate(key: str) -> str:
    """The next name with this key.

    Args:
        key: the beginning of the name.

    Returns:
        A str, `<key>_<number>`.
    """
    return _generator.get()(key)


@mode.per_mode
def generate_with_ignorable_key(key: str) -> str:
    """The next name with this key; in the imperative mode with the key `tmp`, as nobody looks for it by name.

    Args:
        key: the beginning of the name.

    Returns:
        A str.
    """
    return generate(key)


@generate_with_ignorable_key.imperative
def _temporary(key: str) -> str:
    return generate("tmp")


def register_parameter(name: str, param: object) -> bool:
    """Note the name of a parameter of the imperative mode; False if another one has it."""
    return _generator.get().parameters.setdefault(name, param) is param


def switch(
    new_generator: UniqueNameGenerator | tuple[UniqueNameGenerator, DygraphParameterNameChecker] | None = None,
    new_para_name_checker: DygraphParameterNameChecker | None = None,
) -> tuple[UniqueNameGenerator, DygraphParameterNameChecker]:
    """Replace the generator of names and the checker of parameter names.

    Args:
        new_generator: a generator, or the pair that `switch` returned; a new one if None.
        new_para_name_checker: a checker; a new one if None.

    Returns:
        The (generator, checker) in use before.
    """
    if isinstance(new_generator, tuple):
        new_generator, new_para_name_checker = new_generator
    return (
        _generator.set(UniqueNameGenerator() if new_generator is None else new_generator),
        _checker.set(DygraphParameterNameChecker() if new_para_name_checker is None else new_para_name_checker),
    )


@contextlib.contextmanager
def guard(new_generator: str | bytes | UniqueNameGenerator | None = None) -> Iterator[None]:
    """Count names from 0 inside a `with` block.

    Args:
        new_generator: a str that becomes a prefix of every name, or a generator; a new one if None.

    Yields:
        None.

    Example:
        >>> with fluid.unique_name.guard():
        ...     fluid.unique_name.generate("fc"), fluid.unique_name.generate("fc")
        ('fc_0', 'fc_1')
        >>> with fluid.unique_name.guard("teacher_"):
        ...     fluid.unique_name.generate("fc")
        'teacher_fc_0'
    """
    if isinstance(new_generator, bytes):
        new_generator = new_generator.decode()
    if isinstance(new_generator, str):
        new_generator = UniqueNameGenerator(new_generator)
    generator = UniqueNameGenerator() if new_generator is None else new_generator
    with _generator.holding(generator), _checker.holding(DygraphParameterNameChecker()):
        yield
