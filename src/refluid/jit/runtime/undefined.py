"""What a name holds that has no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


class Undefined:
    """In place of a value that is not there; every use of it says why."""

    def __init__(self, reason: str):
        self.__dict__["reason"] = reason

    def _refuse(self, *_: object) -> NoReturn:
        from refluid.jit.errors import refused

        raise refused(f"{self.__dict__['reason']}")

    __getattr__ = __setattr__ = __call__ = __bool__ = __len__ = __iter__ = __getitem__ = __setitem__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __int__ = __float__ = __index__ = __contains__ = __matmul__ = __pow__ = _refuse
    __floordiv__ = __mod__ = _refuse

    def __repr__(self) -> str:
        return f"<no value: {self.__dict__['reason']}>"


class NoValue(Undefined):
    """The result of a function that has not returned yet: a flag says so, so a stand-in may be put in its place."""


_UNSET = Undefined("a name is used before it has a value")
_NO_VALUE = NoValue("the function has not returned a value")


def no_value() -> NoValue:
    return _NO_VALUE


def values(*thunks: Callable[[], object]) -> tuple[Any, ...]:
    """The values of names, those that have none as Undefined."""
    current = []
    for thunk in thunks:
        try:
            current.append(thunk())
        except (NameError, AttributeError):
            current.append(_UNSET)
    return tuple(current)
