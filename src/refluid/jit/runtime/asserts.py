"""assert and raise: at once for conditions of Python, when the program runs for tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from refluid.core.mode import per_mode
from refluid.ir import program as programs
from refluid.jit.errors import refused
from refluid.jit.runtime.promote import as_bool, is_static, settled
from refluid.layers.debug import py_func


def assert_(test: object, message: Callable[[], Any]) -> None:
    test = settled(test)
    if not is_static(test):
        if not test:
            told = message()
            raise AssertionError() if told is None else AssertionError(told)
        return
    told = message()

    def check(value: object) -> None:
        if not np.all(np.asarray(value)):
            raise AssertionError() if told is None else AssertionError(told)

    py_func(check, as_bool(test), None)


def raised(error: object) -> BaseException:
    """What `raise` raises; both branches of a tensor's condition are recorded, so there it would always be raised."""
    return _raised(error)


@per_mode
def _raised(error: object) -> Any:
    if programs.default_main_program().current_block_idx == 0:
        return error
    reason = "`raise` under a condition that is a tensor: only a run knows whether it is reached; use assert"
    cause = error if isinstance(error, BaseException) else None
    raise refused(f"{reason} ({error!r})") from cause


@_raised.imperative
def _raised_now(error: object) -> Any:
    return error
