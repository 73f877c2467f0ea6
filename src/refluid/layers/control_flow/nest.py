"""Structures of variables: nested lists, tuples and dicts, which branches and loops take and return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

Structure: TypeAlias = Any
"""A variable, or a list, tuple or dict of structures; what recurrent cells call their states, for example."""


def flatten(value: Structure) -> list[Any]:
    """The leaves in order; dictionaries in the order of their keys."""
    return list(_leaves(value))


def _leaves(value: Structure) -> Iterator[Any]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(value[key])
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def pack(like: Structure, leaves: list[Any]) -> Structure:
    """A structure like `like` with these leaves."""
    return _packed(like, iter(leaves))


def _packed(like: Structure, leaves: Iterator[Any]) -> Structure:
    if isinstance(like, dict):
        packed = {key: _packed(like[key], leaves) for key in sorted(like)}
        return {key: packed[key] for key in like}
    if isinstance(like, tuple) and hasattr(like, "_fields"):
        return type(like)(*(_packed(item, leaves) for item in like))
    if isinstance(like, list | tuple):
        return type(like)(_packed(item, leaves) for item in like)
    return next(leaves)


def outline(value: Structure) -> str:
    """The structure as text, leaves as dots: (., [., .])."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {outline(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(outline, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    return "None" if value is None else "."
