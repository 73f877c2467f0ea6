"""Readers are functions; anything else is refused where it would be called."""

from collections.abc import Iterable
from typing import Any

from refluid.core.errors import ArgumentError


def check_reader(reader: object, caller: str) -> None:
    """Refuse what cannot be called once per epoch."""
    if callable(reader):
        return
    hint = "; pass the function itself, without calling it" if isinstance(reader, Iterable) else ""
    raise ArgumentError(f"{caller}: expected a function that returns an iterable, got {type(reader).__name__}{hint}")


def samples_of(reader: Any, caller: str) -> Iterable[Any]:
    """What a reader gives when it is called for an epoch."""
    check_reader(reader, caller)
    return reader()
