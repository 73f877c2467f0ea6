"""and, or, not, comparisons in a chain, conditional expressions, assert."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from refluid.core.dtypes import VarType
from refluid.ir.variable import Variable
from refluid.jit.errors import refused
from refluid.jit.runtime.arrays import TensorArray
from refluid.jit.runtime.branches import choose
from refluid.jit.runtime.promote import as_bool, is_static, settled
from refluid.layers.reduce import reduce_any
from refluid.ops.math.logical import logical_and, logical_not, logical_or

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.layers.control_flow.nest import Structure
    from refluid.ops.definition import OpDef

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "is": operator.is_, "is not": operator.is_not, "in": lambda a, b: contains(a, b),
    "not in": lambda a, b: not_(contains(a, b)),
}  # fmt: skip


def and_(*thunks: Callable[[], Any]) -> Structure:
    """The operands from left to right: plain Python ones as Python does it, the others as `logical_and`."""
    return _combine(thunks, logical_and, stops=False)


def or_(*thunks: Callable[[], Any]) -> Structure:
    return _combine(thunks, logical_or, stops=True)


def and_value(*thunks: Callable[[], Any]) -> Structure:
    """`and` whose value is used: a tensor of numbers is chosen or not, as an object of Python would be."""
    return _chosen(thunks, and_, stops=False)


def or_value(*thunks: Callable[[], Any]) -> Structure:
    return _chosen(thunks, or_, stops=True)


def _chosen(thunks: tuple, combine: Callable, stops: bool) -> Structure:
    first = settled(thunks[0]())
    if len(thunks) > 1 and is_static(first) and first.dtype is not VarType.BOOL:
        rest = thunks[1:]
        sides = [lambda: first, lambda: _chosen(rest, combine, stops)]
        return choose(as_bool(first), *(sides if stops else reversed(sides)))
    if len(thunks) == 1 or is_static(first):
        return combine(lambda: first, *thunks[1:])
    return first if bool(first) is stops else _chosen(thunks[1:], combine, stops)


def any_(values: Iterable[Any]) -> bool | BaseVariable:
    """any(values)."""
    return _of_all(any, or_, values)


def all_(values: Iterable[Any]) -> bool | BaseVariable:
    return _of_all(all, and_, values)


def _of_all(plain: Callable, combine: Callable, values: Iterable[Any]) -> bool | BaseVariable:
    if isinstance(values, Variable | TensorArray):
        raise refused(f"{plain.__name__} of a tensor; use fluid.layers.reduce_{plain.__name__}")
    elements = list(values)
    if not any(is_static(settled(one)) for one in elements):
        return plain(elements)
    return combine(*[(lambda one=one: one) for one in elements])


def contains(item: Any, container: Any) -> bool | BaseVariable:
    """item in container."""
    if is_static(container):
        return reduce_any(container == item)
    if isinstance(container, list | tuple) and any(is_static(one) for one in (item, *container)):
        return any_([one is item or one == item for one in container])
    return item in container


def _combine(thunks: tuple, operator_: OpDef, stops: bool) -> Structure:
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


def not_(value: object) -> Any:
    value = settled(value)
    return logical_not(as_bool(value)) if is_static(value) else not value


def compare(left: object, signs: tuple[str, ...], *later: Callable[[], Any]) -> bool | BaseVariable:
    """left < later[0]() < later[1]() and so on; each operand is computed once."""

    def step(sign: str, thunk: Callable[[], Any]) -> Callable[[], Any]:
        def run() -> bool | BaseVariable:
            nonlocal left
            before, left = left, thunk()
            return _SIGNS[sign](before, left)

        return run

    return and_(*[step(sign, thunk) for sign, thunk in zip(signs, later, strict=True)])
