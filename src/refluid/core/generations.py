"""Functions and classes whose arguments changed between the releases of Fluid.

Note [Generations] Fluid changed the order of many arguments: Conv2D of 1.5 begins with a name scope, that of 1.7 with
the channels. Both run here. The decorated function has the latest signature (that of 1.8), which `help()`,
`inspect.signature` and editors show. Each older one is a function with a signature of its own, and a predicate that
decides from a call whether it is meant. Where a call fits both, the latest is meant. Arguments that were only added or
renamed need none of this: the latest signature takes them.

    @generations
    def __init__(self, size, dtype="float32"): ...

    @older(__init__, before="1.7", when=begins_with_str("name_scope"))
    def _init_1_5(self, name_scope, size): ...
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from refluid.core.errors import ArgumentError

F = TypeVar("F", bound=Callable)
Predicate = Callable[[tuple, dict[str, Any]], bool]  # of the positional arguments (self included) and the others


def generations(latest: F) -> F:
    """Decorator of a function that has older signatures as well. See Note [Generations]."""
    olders: list[tuple[Predicate, Callable]] = []

    @functools.wraps(latest)
    def call(*args: object, **kwargs: object) -> Any:
        meant: Callable = latest
        for when, function in olders:
            if when(args, kwargs):
                meant = function
                break
        try:
            return meant(*args, **kwargs)
        except TypeError:
            name = type(args[0]).__name__ if latest.__name__ == "__init__" else latest.__name__
            _refuse_what_does_not_bind(name, meant, args, kwargs)
            raise

    call.older = olders  # type: ignore[attr-defined]
    return cast("F", call)


def older(latest: Callable, before: str, when: Predicate) -> Callable[[F], F]:
    """Decorator of what to call where `when(args, kwargs)`; its signature held before a release."""

    def add(function: F) -> F:
        cast("Any", latest).older.append((when, function))
        told = f"Before {before}: {_text(function)}\n{inspect.cleandoc(function.__doc__ or '')}"
        latest.__doc__ = f"{inspect.cleandoc(latest.__doc__ or '')}\n\n{told}".strip()
        return function

    return add


def _refuse_what_does_not_bind(name: str, function: Callable, args: tuple, kwargs: dict[str, Any]) -> None:
    """Raise in words that show the signature, if the arguments do not fit it."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        raise ArgumentError(f"{name}: {error}; it takes {_text(function)}") from None


def _text(function: Callable) -> str:
    """The signature without self and annotations."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    return f"({', '.join(str(p.replace(annotation=inspect.Parameter.empty)) for p in parameters)})"


def begins_with_str(name: str) -> Predicate:
    """Tells methods whose first argument `name` is a str, which the latest ones do not begin with."""

    def tells(args: tuple, kwargs: dict[str, Any]) -> bool:
        return name in kwargs or (len(args) > 1 and isinstance(args[1], str))

    return tells
