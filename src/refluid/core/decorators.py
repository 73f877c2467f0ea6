"""Decorators that keep the name, the documentation and the signature of what they decorate."""

from __future__ import annotations

import contextlib
import functools
import sys
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

signature_safe_contextmanager = contextlib.contextmanager


def wrap_decorator(decorator_func: Callable) -> Callable:
    """A decorator like `decorator_func` whose results look like the functions that they replace."""

    def decorate(func: Callable) -> Callable:
        return functools.wraps(func)(decorator_func(func))

    return functools.wraps(decorator_func)(decorate)


def deprecated(since: str, instead: str, extra_message: str = "") -> Callable:
    """A decorator that says on stderr, at every call, since when a function is old and what to use instead."""

    def decorate(func: Callable[P, R]) -> Callable[P, R]:
        said = f"API {func.__name__} is deprecated since {since}. Please use {instead} instead."
        said = f"{said}\n{extra_message}" if extra_message else said

        @functools.wraps(func)
        def old(*args: P.args, **kwargs: P.kwargs) -> R:
            print(said, file=sys.stderr)
            return func(*args, **kwargs)

        old.__doc__ = f"{func.__doc__ or ''}\n    {said}"
        return old

    return decorate


def deprecated_function(func: Callable[P, R]) -> Callable[P, R]:
    """A decorator that warns of every call that the function is old."""

    @functools.wraps(func)
    def old(*args: P.args, **kwargs: P.kwargs) -> R:
        warnings.warn(f"{func.__name__} is deprecated", DeprecationWarning, stacklevel=2)
        return func(*args, **kwargs)

    return old
