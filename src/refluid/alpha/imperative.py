"""paddle.imperative's own guard."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from refluid.core import unique_name
from refluid.core.places import Place
from refluid.eager import base


@contextlib.contextmanager
def guard(place: Place | None = None, new_generator: Any = None) -> Iterator[None]:
    """The imperative mode inside, on this place.

    Args:
        new_generator: what names count with inside, as fluid.unique_name.guard takes it.
    """
    with base.guard(place), unique_name.guard(new_generator):
        yield
