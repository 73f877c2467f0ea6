"""Functions of fluid.layers that take a list of tensors, given one that grew in a loop over tensors."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from refluid.jit.runtime.arrays import TensorArray
from refluid.layers import control_flow, math
from refluid.layers.reduce import reduce_sum
from refluid.layers.tensor import assign

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


def _concat(array: TensorArray, axis: int = 0, name: str | None = None) -> BaseVariable:
    return array.joined(axis, stack=False)


def _stack(array: TensorArray, axis: int = 0, name: str | None = None) -> BaseVariable:
    return array.joined(axis, stack=True)


def _sum(array: TensorArray, out: BaseVariable | None = None, name: str | None = None) -> BaseVariable:
    total = reduce_sum(array.joined(0, stack=True), dim=0)
    return total if out is None else assign(total, out)


def _whole(function: Callable) -> Callable:
    return lambda array, *args, **kwargs: function(array.exact(), *args, **kwargs)


_BY_NAME: dict[str, Callable] = {
    "concat": _concat, "stack": _stack, "sums": _sum, "elementwise_sum": _sum,
    "tensor_array_to_tensor": _whole(control_flow.tensor_array_to_tensor), "array_length": lambda array: array.length,
    "array_read": lambda array, i: array[i],
}  # fmt: skip


def joining(function: types.FunctionType) -> Callable | None:
    """The function of ours, so that it takes such lists too; None if it takes no list."""
    on_arrays = _sum if function is math.sum else _BY_NAME.get(function.__name__)
    return None if on_arrays is None else functools.partial(_call, function, on_arrays)


def _call(function: Callable, on_arrays: Callable, *args: object, **kwargs: object) -> Any:
    first = args[0] if args else next(iter(kwargs.values()), None)
    if not isinstance(first, TensorArray):
        return function(*args, **kwargs)
    rest = args[1:] if args else ()
    return on_arrays(first, *rest, **{k: v for k, v in kwargs.items() if v is not first})
