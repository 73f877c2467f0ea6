"""Telling apart the spellings of 1.4, 1.5 and 1.7 of one Layer class by their first argument."""

from __future__ import annotations

from typing import Any

from refluid.core import unique_name
from refluid.nn.inputs import InputsError


def take_scope(args: tuple, kwargs: dict[str, Any]) -> tuple[str | None, tuple]:
    """(name scope, other positional arguments): 1.4 and 1.5 pass a name scope first, 1.7 and later do not."""
    if "name_scope" in kwargs:
        return kwargs.pop("name_scope"), args
    if args and isinstance(args[0], str):
        return args[0], args[1:]
    return None, args


def scoped_name(scope: str, layer: Any) -> str:
    """1.5: layers are named after their scope and class."""
    return unique_name.generate(f"{scope}/{type(layer).__name__}")


def bind(names: str, args: tuple, kwargs: dict[str, Any], cls: type) -> dict[str, Any]:
    """Positional arguments by name, as Python itself would bind them."""
    order = names.split()
    if len(args) > len(order):
        raise InputsError(f"{cls.__name__} takes at most {len(order)} arguments, got {len(args)}")
    bound = dict(zip(order, args, strict=False))
    for name, value in kwargs.items():
        if name not in order:
            raise InputsError(f"{cls.__name__} has no argument {name!r}; it has {', '.join(order)}")
        if name in bound:
            raise InputsError(f"{cls.__name__} got argument {name!r} twice")
        bound[name] = value
    return bound


def need(cls: type, given: dict[str, Any], *names: str) -> None:
    """Refuse a call that leaves out one of these arguments."""
    for name in names:
        if given.get(name) is None:
            raise InputsError(f"{cls.__name__}: argument {name!r} is missing")
