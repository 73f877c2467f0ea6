"""Functions that are called when the process ends, by itself or by a signal."""

from __future__ import annotations

import atexit
import signal
import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

from refluid.core.errors import DtypeError


class CleanupFuncRegistrar:
    """`CleanupFuncRegistrar.register(function, signals=[SIGTERM])`: the function is called once, at the end."""

    _registered: dict[Any, bool] = {}  # by function: whether it has been called

    @classmethod
    def register(cls, function: Callable[[], Any], signals: Iterable[int] = ()) -> None:
        if not callable(function):
            raise DtypeError(f"CleanupFuncRegistrar: expected a function, got {type(function).__name__}")
        for number in set(signals):
            before = signal.signal(number, lambda num, frame: cls._on_signal(function, num, frame))
            if callable(before) and before is not signal.default_int_handler:
                cls._at_exit(before)
        cls._at_exit(function)

    @classmethod
    def _at_exit(cls, function: Callable) -> None:
        if function not in cls._registered:
            cls._registered[function] = False
            atexit.register(cls._call, function)

    @classmethod
    def _call(cls, function: Callable) -> None:
        if not cls._registered.get(function, False):
            cls._registered[function] = True
            function()

    @classmethod
    def _on_signal(cls, function: Callable, number: int, frame: FrameType | None) -> None:
        cls._call(function)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(number)
