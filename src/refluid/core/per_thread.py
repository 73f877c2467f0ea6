"""What guards change: the mode, the unique names, the default programs, the scope. Threads do not disturb one another.

Note [Guards and threads]
What the main thread sets holds in every thread that has set nothing itself, so that a thread which a program starts
inside a guard works in it, as in Fluid. What another thread sets holds in that thread alone. Threads of ours that run
code of the program start with `inherit`, so that they also work in a guard of the thread that starts them.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar, copy_context
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class PerThread(Generic[T]):
    """A value that a guard replaces for a while; see Note [Guards and threads].

    Notebooks run every cell in a context of its own. So a context variable holds what threads other than the main one
    set, and an attribute what that one does.
    """

    __slots__ = ("own", "shared")

    def __init__(self, name: str, first: T):
        self.shared = first
        self.own: ContextVar[T | None] = ContextVar(name, default=None)

    def get(self) -> T:
        own = self.own.get()
        return self.shared if own is None else own

    def is_own(self) -> bool:
        """Whether this thread has set the value: it may change it without changing that of others."""
        return self.own.get() is not None or _on_main_thread()

    def set(self, value: T) -> T:
        """Put another value in place and return the old one."""
        old = self.get()
        self._put(value)
        return old

    @contextlib.contextmanager
    def holding(self, value: T) -> Iterator[T]:
        """`value` inside, what was there before after it."""
        own, shared = self.own.get(), self.shared
        self._put(value)
        try:
            yield value
        finally:
            if own is None and _on_main_thread():
                self.shared = shared
            else:
                self.own.set(own)

    def _put(self, value: T) -> None:
        if self.own.get() is None and _on_main_thread():
            self.shared = value
        else:
            self.own.set(value)


_main = threading.main_thread().ident


def _on_main_thread() -> bool:
    return threading.get_ident() == _main


def _after_fork() -> None:
    global _main
    _main = threading.get_ident()


os.register_at_fork(after_in_child=_after_fork)


def inherit(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` for a thread to run: inside it the guards of the thread that asks now hold."""
    context = copy_context()
    return lambda *args, **kwargs: context.run(function, *args, **kwargs)
