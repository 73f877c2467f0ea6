"""Python's own functions, of tensors whose values only a run tells."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from refluid.core.dtypes import VarType
from refluid.eager.variable import VarBase
from refluid.jit.errors import refused
from refluid.jit.runtime.arrays import TensorArray
from refluid.jit.runtime.iterables import enumerate_, range_, zip_
from refluid.jit.runtime.logic import all_, any_
from refluid.jit.runtime.numbers import Number, as_number, common_kind, is_number, number
from refluid.jit.runtime.promote import as_bool, is_static, promote, settled
from refluid.jit.runtime.shapes import size
from refluid.layers.debug import py_func
from refluid.ops.math.elementwise import elementwise_max, elementwise_min
from refluid.ops.math.unary import abs as abs_op

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.layers.control_flow.nest import Structure
    from refluid.ops.definition import OpDef

_IMPERATIVE = VarBase(torch.zeros(1))


def len_(value: Any) -> int | BaseVariable:
    if isinstance(value, TensorArray):
        return value.length
    return size(value) if is_static(value) else len(value)


def int_(*args: Any) -> int | BaseVariable:
    return as_number(settled(args[0]), VarType.INT64) if args and is_static(settled(args[0])) else int(*args)


def float_(*args: Any) -> float | BaseVariable:
    value: Any = settled(args[0]) if args else None
    if not is_static(value):
        return float(*args)
    return as_number(value, VarType.FP64 if value.dtype is VarType.FP64 else VarType.FP32)


def bool_(*args: object) -> bool | BaseVariable:
    return number(as_bool(args[0])) if args and is_static(settled(args[0])) else bool(*args)


def abs_(value: Any) -> Structure:
    if not is_static(value):
        return abs(value)
    return number(abs_op(value)) if isinstance(value, Number) else abs_op(value)


def max_(*args: object, **kwargs: object) -> Structure:
    return _extreme(max, elementwise_max, args, kwargs)


def min_(*args: object, **kwargs: object) -> Structure:
    return _extreme(min, elementwise_min, args, kwargs)


def _extreme(plain: Callable, operator: OpDef, args: tuple, kwargs: dict) -> Structure:
    values = list(args[0]) if len(args) == 1 and isinstance(args[0], list | tuple) else list(args)
    static = [operand for operand in values if is_static(operand)]
    if not static:
        return plain(*args, **kwargs)
    if kwargs:
        raise refused(f"{plain.__name__} of tensors takes no key and no default")
    numbers = all(is_number(operand) for operand in values)
    kind = common_kind(*values) if numbers else next(operand.dtype for operand in values if not is_number(operand))
    total = promote(values[0], kind)
    for operand in values[1:]:
        total = operator(total, promote(operand, kind))
    return number(total) if numbers else total


def isinstance_(value: object, kinds: type | tuple[type, ...]) -> bool:
    """A tensor is what it would be in the imperative mode, too."""
    return isinstance(value, kinds) or (is_static(value) and isinstance(_IMPERATIVE, kinds))


def print_(*args: object, **kwargs: Any) -> None:
    """Prints when the program runs, as the plain function would have in its place."""
    tensors = [arg for arg in args if is_static(arg)]

    def show(*values: Any) -> None:
        left = iter(values)
        print(*[VarBase(next(left).value()) if is_static(arg) else arg for arg in args], **kwargs)

    py_func(show if tensors else lambda: show(), tensors, None)


STAND_INS: dict[Any, Callable] = {
    builtins.len: len_, builtins.int: int_, builtins.float: float_, builtins.bool: bool_, builtins.abs: abs_,
    builtins.max: max_, builtins.min: min_, builtins.print: print_, builtins.range: range_,
    builtins.enumerate: enumerate_, builtins.zip: zip_, builtins.any: any_, builtins.all: all_,
    builtins.isinstance: isinstance_,
}  # fmt: skip
