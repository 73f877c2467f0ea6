"""A stack of scopes of the current thread: fluid.default_scope_funcs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from refluid.tensor.scope import Scope, ScopeVar

_of_thread = threading.local()


def _stack() -> list[Scope]:
    if not getattr(_of_thread, "scopes", None):
        _of_thread.scopes = [Scope()]
    return _of_thread.scopes


def get_cur_scope() -> Scope:
    """The scope on top."""
    return _stack()[-1]


def enter_local_scope() -> None:
    """Put a new scope, which sees the variables of those below it, on top."""
    _stack().append(get_cur_scope().new_scope())


def leave_local_scope() -> None:
    """Drop the scope on top with its variables."""
    _stack().pop()
    get_cur_scope().drop_kids()


def var(name: str) -> ScopeVar:
    """The variable of this name in the scope on top, made if it is not there."""
    return get_cur_scope().var(name)


def find_var(name: str) -> ScopeVar | None:
    """The variable of this name in the scope on top or in one below; None if there is none."""
    return get_cur_scope().find_var(name)


def scoped_function(func: Callable[[], Any]) -> None:
    """Call a function inside a local scope."""
    enter_local_scope()
    try:
        func()
    finally:
        leave_local_scope()
