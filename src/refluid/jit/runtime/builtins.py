"""Python's own functions, of tensors whose values only a run tells."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from refluid.core.dtypes import VarType
from refluid.eager.variable import VarBase
from refluid.jit.errors import refused
from refluid.jit.runtime.arrays import TensorArray
from refluid.jit.runtime.iterables import enumerate_, range_, zip_
from refluid.jit.runtime.promote import as_bool, convert, is_static, promote, settled
from refluid.jit.runtime.shapes import size
from refluid.layers.debug import py_func
from refluid.ops.math.elementwise import elementwise_max, elementwise_min
from refluid.ops.math.unary import abs as abs_op


def len_(value: Any) -> Any:
    if isinstance(value, TensorArray):
        return value.length
    return size(value) if is_static(value) else len(value)


def int_(*args: Any) -> Any:
    return _cast(args[0], VarType.INT64) if args and is_static(settled(args[0])) else int(*args)


def float_(*args: Any) -> Any:
    return _cast(args[0], VarType.FP32) if args and is_static(settled(args[0])) else float(*args)


def _cast(value: Any, dtype: VarType) -> Any:
    """A number in Python, so no gradient goes through."""
    made = convert(promote(value), dtype)
    made.stop_gradient = True
    return made


def bool_(*args: Any) -> Any:
    return as_bool(args[0]) if args and is_static(settled(args[0])) else bool(*args)


def abs_(value: Any) -> Any:
    return abs_op(value) if is_static(value) else abs(value)


def max_(*args: Any, **kwargs: Any) -> Any:
    return _extreme(max, elementwise_max, args, kwargs)


def min_(*args: Any, **kwargs: Any) -> Any:
    return _extreme(min, elementwise_min, args, kwargs)


def _extreme(plain: Callable, operator: Any, args: tuple, kwargs: dict) -> Any:
    values = list(args[0]) if len(args) == 1 and isinstance(args[0], list | tuple) else list(args)
    found = [one for one in values if is_static(one)]
    if not found:
        return plain(*args, **kwargs)
    if kwargs:
        raise refused(f"{plain.__name__} of tensors takes no key and no default")
    total = values[0] if is_static(values[0]) else found[0] * 0 + values[0]
    for one in values[1:]:
        total = operator(total, one if is_static(one) else total * 0 + one)
    return total


def print_(*args: Any, **kwargs: Any) -> None:
    """Prints when the program runs, as the plain function would have in its place."""
    tensors = [arg for arg in args if is_static(arg)]

    def show(*values: Any) -> None:
        left = iter(values)
        print(*[VarBase(next(left).value()) if is_static(arg) else arg for arg in args], **kwargs)

    py_func(show if tensors else lambda: show(), tensors, None)


STAND_INS: dict[Any, Callable] = {
    builtins.len: len_, builtins.int: int_, builtins.float: float_, builtins.bool: bool_, builtins.abs: abs_,
    builtins.max: max_, builtins.min: min_, builtins.print: print_, builtins.range: range_,
    builtins.enumerate: enumerate_, builtins.zip: zip_,
}  # fmt: skip
