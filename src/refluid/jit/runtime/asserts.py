"""assert: at once for conditions of Python, when the program runs for tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from refluid.jit.runtime.promote import as_bool, is_static, settled
from refluid.layers.debug import py_func


def assert_(test: Any, message: Callable[[], Any]) -> None:
    test = settled(test)
    if not is_static(test):
        if not test:
            told = message()
            raise AssertionError() if told is None else AssertionError(told)
        return
    told = message()

    def check(value: Any) -> None:
        if not np.all(np.asarray(value)):
            raise AssertionError() if told is None else AssertionError(told)

    py_func(check, as_bool(test), None)
