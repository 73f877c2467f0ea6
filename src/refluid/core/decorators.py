"""Decorators that keep the name, the documentation and the signature of what they decorate."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

signature_safe_contextmanager = contextlib.contextmanager


def wrap_decorator(decorator_func: Callable) -> Callable:
    """A decorator like `decorator_func` whose results look like the functions that they replace."""

    def decorate(func: Callable) -> Any:
        return functools.wraps(func)(decorator_func(func))

    return functools.wraps(decorator_func)(decorate)
