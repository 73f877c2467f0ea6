"""Nested lists, tuples and dicts as flat lists of what they hold, and back."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from refluid.jit.runtime.arrays import TensorArray

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


def flatten(value: object) -> list[Any]:
    """What the containers hold, in order."""
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in flatten(one)]
    if isinstance(value, list | tuple):
        return [leaf for one in value for leaf in flatten(one)]
    return [value.length] if isinstance(value, TensorArray) else [value]


def map_leaves(function: Callable[[Any], Any], value: object) -> Structure:
    """The same containers with other leaves."""
    if isinstance(value, dict):
        mapped = {key: map_leaves(function, one) for key, one in value.items()}
        return mapped if type(value) is dict else type(value)(mapped)
    if isinstance(value, list):
        return [map_leaves(function, one) for one in value]
    if isinstance(value, tuple):
        parts = [map_leaves(function, one) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, TensorArray):
        return TensorArray(value.var, function(value.length), value.history)
    return function(value)


def arrays_in(value: object) -> list[TensorArray]:
    """The arrays among what the containers hold."""
    if isinstance(value, dict | list | tuple):
        return [found for one in (value.values() if isinstance(value, dict) else value) for found in arrays_in(one)]
    return [value] if isinstance(value, TensorArray) else []


def pack(like: Structure, leaves: list[Any]) -> Structure:
    """`leaves` in the containers of `like`."""
    left = iter(leaves)
    return map_leaves(lambda _: next(left), like)


def skeleton(value: object) -> Hashable:
    """Two values have equal skeletons if they are nested alike."""
    if isinstance(value, dict):
        return ("dict", *((key, skeleton(one)) for key, one in value.items()))
    if isinstance(value, list | tuple):
        return (type(value).__name__, *(skeleton(one) for one in value))
    return ("array", value.var.name) if isinstance(value, TensorArray) else None
