"""Readers are functions; anything else is refused where it would be called."""

from collections.abc import Iterable
from numbers import Real
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
    samples = reader()
    if callable(samples) and not isinstance(samples, Iterable):
        raise ArgumentError(
            f"{caller}: the reader must return an iterable of samples, got a {type(samples).__name__}; a function that "
            "makes readers is called first: train() in place of train"
        )
    return samples


def check_count(what: str, count: Any) -> None:
    """A number of samples or workers, checked before a thread waits for it; Fluid's queues take floats too."""
    if not isinstance(count, Real):
        raise ArgumentError(f"{what} must be a number, got {count!r:.60}")
