"""The imperative mode as 2.0-alpha switches it on: stopped variables that took part have gradients of zeros."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from refluid.core import unique_name
from refluid.eager import base


@contextlib.contextmanager
def guard(place: Any = None, new_generator: Any = None) -> Iterator[None]:
    """The imperative mode inside.

    Args:
        place: where to compute. (The generator may come first, as the list of 2.0-alpha's names has it.)
        new_generator: what names count with inside, as fluid.unique_name.guard takes it.
    """
    if isinstance(place, str | bytes | unique_name.UniqueNameGenerator):
        place, new_generator = None, place
    with base.guard(place), _zeros_where_stopped(), unique_name.guard(new_generator):
        yield


def enable_imperative(place: Any = None) -> None:
    """Switch the imperative mode on until `disable_imperative`."""
    base.enable_dygraph(place)
    base.until_disabled(_zeros_where_stopped())


@contextlib.contextmanager
def _zeros_where_stopped() -> Iterator[None]:
    old, base.tape.zeros_where_stopped = base.tape.zeros_where_stopped, True
    try:
        yield
    finally:
        base.tape.zeros_where_stopped = old
