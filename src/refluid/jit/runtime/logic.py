"""and, or, not, comparisons in a chain, conditional expressions, assert."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from refluid.jit.runtime.promote import as_bool, is_static, settled
from refluid.ops.math.logical import logical_and, logical_not, logical_or

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "is": operator.is_, "is not": operator.is_not, "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}  # fmt: skip


def and_(*thunks: Callable[[], Any]) -> Any:
    """The operands from left to right: plain Python ones as Python does it, the others as `logical_and`."""
    return _combine(thunks, logical_and, stops=False)


def or_(*thunks: Callable[[], Any]) -> Any:
    return _combine(thunks, logical_or, stops=True)


def _combine(thunks: tuple, operator_: Any, stops: bool) -> Any:
    """`stops`: the truth that decides the whole and leaves the rest uncomputed."""
    total: Any = None
    value: Any = None
    for i, thunk in enumerate(thunks):
        value = settled(thunk())
        if is_static(value):
            total = value if total is None else operator_(as_bool(total), as_bool(value))
        elif i < len(thunks) - 1 or total is not None:
            if bool(value) is stops:
                return value
    return value if total is None else total


def not_(value: Any) -> Any:
    value = settled(value)
    return logical_not(as_bool(value)) if is_static(value) else not value


def compare(left: Any, signs: tuple[str, ...], *later: Callable[[], Any]) -> Any:
    """left < later[0]() < later[1]() and so on; each operand is computed once."""

    def step(sign: str, thunk: Callable[[], Any]) -> Callable[[], Any]:
        def run() -> Any:
            nonlocal left
            before, left = left, thunk()
            return _SIGNS[sign](before, left)

        return run

    return and_(*[step(sign, thunk) for sign, thunk in zip(signs, later, strict=True)])
