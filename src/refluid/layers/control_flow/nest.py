"""Structures of variables: what branches and loops take and give may be lists, tuples and dictionaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def flatten(value: Any) -> list[Any]:
    """The leaves in order; dictionaries in the order of their keys."""
    return list(_leaves(value))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(value[key])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one)
    else:
        yield value


def pack(like: Any, leaves: list[Any]) -> Any:
    """A structure like `like` with these leaves."""
    return _packed(like, iter(leaves))


def _packed(like: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(like, dict):
        found = {key: _packed(like[key], leaves) for key in sorted(like)}
        return {key: found[key] for key in like}
    if isinstance(like, tuple) and hasattr(like, "_fields"):
        return type(like)(*(_packed(one, leaves) for one in like))
    if isinstance(like, list | tuple):
        return type(like)(_packed(one, leaves) for one in like)
    return next(leaves)


def outline(value: Any) -> str:
    """The structure as text, leaves as dots: (., [., .])."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {outline(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(outline, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    return "None" if value is None else "."
