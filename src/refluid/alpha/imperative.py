"""paddle.imperative's own guard."""

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
    with base.guard(place), unique_name.guard(new_generator):
        yield
