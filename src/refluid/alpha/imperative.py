"""The imperative mode as 2.0-alpha switches it on: stopped variables that took part have gradients of zeros."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from refluid.core import unique_name
from refluid.core.places import Place
from refluid.core.unique_name import UniqueNameGenerator
from refluid.eager import base


@contextlib.contextmanager
def guard(
    place: Place | str | bytes | UniqueNameGenerator | None = None,
    new_generator: str | bytes | UniqueNameGenerator | None = None,
) -> Iterator[None]:
    """Switch the imperative mode on inside a `with` block.

    Args:
        place: the place to compute on; the default one if None. The generator may come first.
        new_generator: generator or prefix of the names made inside, as fluid.unique_name.guard takes it.

    Yields:
        None.
    """
    if isinstance(place, str | bytes | UniqueNameGenerator):
        place, new_generator = None, place
    with base.guard(place), base.zeros_where_stopped(), unique_name.guard(new_generator):
        yield


def enable_imperative(place: Place | None = None) -> None:
    """Switch the imperative mode on until `disable_imperative`.

    Args:
        place: the place to compute on; the default one if None.

    Returns:
        None.
    """
    base.enable_dygraph(place)
    base.until_disabled(base.zeros_where_stopped())
