"""paddle.fluid.layers.utils: nested lists, tuples and dictionaries, as programs with recurrent networks handle them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from refluid.core.errors import ArgumentError, DtypeError
from refluid.layers.control_flow.nest import flatten as _flatten, outline, pack


def is_sequence(seq: Any) -> bool:
    """Whether this is something that holds other things: a list, a tuple, a dict; not a string, not an array."""
    return isinstance(seq, Sequence | Mapping) and not isinstance(seq, str)


def flatten(nest: Any) -> list[Any]:
    """The leaves in order, dictionaries in the order of their keys.

    Example:
        >>> flatten({"b": 1, "a": [2, (3, 4)]})
        [2, 3, 4, 1]
    """
    return _flatten(nest)


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """A structure like `structure` with these leaves: what `flatten` took apart."""
    if not is_sequence(flat_sequence):
        raise DtypeError(
            f"pack_sequence_as: flat_sequence must be a list or a tuple, got {type(flat_sequence).__name__}"
        )
    leaves, count = list(flat_sequence), len(flatten(structure))
    if len(leaves) != count:
        raise ArgumentError(
            f"pack_sequence_as: the structure {outline(structure)} has {count} leaves, "
            f"but flat_sequence has {len(leaves)}"
        )
    return pack(structure, leaves)


def map_structure(func: Callable, *structure: Any) -> Any:
    """A structure like the first one, of what `func` makes of the leaves that stand in the same place.

    Example:
        >>> map_structure(lambda a, b: a + b, [1, (2, 3)], [10, (20, 30)])
        [11, (22, 33)]
    """
    if not structure:
        raise ArgumentError("map_structure: expected at least one structure after func, got none")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=False)
    return pack(structure[0], [func(*leaves) for leaves in zip(*map(flatten, structure), strict=True)])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Refuse two structures that are not nested alike (with `check_types`, of the same types)."""
    if is_sequence(nest1) != is_sequence(nest2):
        raise ArgumentError(f"the structures differ: {outline(nest1)} and {outline(nest2)}")
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise DtypeError(f"the structures differ: a {type(nest1).__name__} and a {type(nest2).__name__}")
    if isinstance(nest1, Mapping) != isinstance(nest2, Mapping) or len(nest1) != len(nest2):
        raise ArgumentError(f"the structures differ: {outline(nest1)} and {outline(nest2)}")
    if isinstance(nest1, Mapping) and nest1.keys() != nest2.keys():
        raise ArgumentError(f"the structures differ: a dict of {sorted(nest1)} and a dict of {sorted(nest2)}")
    for one, other in zip(_parts(nest1), _parts(nest2), strict=True):
        assert_same_structure(one, other, check_types)


def _parts(nest: Any) -> list[Any]:
    return [nest[key] for key in sorted(nest)] if isinstance(nest, Mapping) else list(nest)


def convert_to_list(value: Any, n: int, name: str, dtype: type = int) -> list[Any]:
    """One number as n of them; n numbers as a list.

    Example:
        >>> convert_to_list(3, 2, "stride")
        [3, 3]
    """
    if isinstance(value, dtype):
        return [value] * n
    if not isinstance(value, list | tuple) or len(value) != n:
        raise ArgumentError(f"{name} must be one {dtype.__name__} or a list or tuple of {n}, got {value!r}")
    for one in value:
        try:
            dtype(one)
        except (TypeError, ValueError):
            raise ArgumentError(f"{name} must be {n} of type {dtype.__name__}, got {value!r}") from None
    return list(value)
