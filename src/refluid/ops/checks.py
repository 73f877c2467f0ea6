"""Argument checks that both modes make, in the same words."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Any

from refluid.core.dtypes import TORCH_NAME
from refluid.core.errors import ArgumentError, DtypeError
from refluid.ops.registry import BOOLS, FLOATS, INDICES, INTS, NUMBERS, OpDef

if TYPE_CHECKING:
    import torch

_WORDS = {FLOATS: "floating point", INTS: "an integer", INDICES: "int32 or int64", BOOLS: "bool", NUMBERS: "a number"}


def check_dtypes(op: OpDef, values: object) -> None:
    """Refuse dtypes that the operator does not take. `values` have a `dtype` of torch, in slot order."""
    for slot in op.dtypes:
        _check_slot(op, slot, values)


def check_declared(op: OpDef, specs: object) -> None:
    """Refuse dtypes that Fluid refuses while a program is built; the others are checked when it runs."""
    for slot in op.dtypes:
        if op.inputs[slot].name not in op.late:
            _check_slot(op, slot, specs)


def _check_slot(op: OpDef, slot: int, values: Any) -> None:
    if slot >= len(values):
        return
    value = values[slot]
    for element in value if isinstance(value, list | tuple) and not hasattr(value, "dtype") else (value,):
        dtype = getattr(element, "dtype", None)
        if dtype is not None and dtype not in op.dtypes[slot]:
            raise wrong_dtype(op, slot, dtype)


def checking(op: OpDef) -> Callable:
    """The kernel of an operator that was declared on dtypes it does not take: it checks its inputs."""
    places = [(i, param.slot) for i, param in enumerate(op.params) if param.kind == "value"]

    def check_then_run(*args: object, **attrs: object) -> Any:
        values: list[Any] = [None] * len(op.inputs)
        for i, slot in places:
            values[slot] = args[i] if i < len(args) else None
        check_dtypes(op, values)
        return op.kernel(*args, **attrs)

    return check_then_run


def wrong_dtype(op: OpDef, slot: int, dtype: torch.dtype) -> DtypeError:
    allowed = op.dtypes[slot]
    words = _WORDS.get(allowed) or "one of " + ", ".join(sorted(TORCH_NAME[d] for d in allowed))
    return DtypeError(f"{op.type}: {op.inputs[slot].name} must be {words}, got {TORCH_NAME.get(dtype, str(dtype))}")


def _is_int(value: Any) -> bool:
    try:
        index(value)
    except TypeError:
        return False
    return True


# By type of attribute: how messages describe it, and a test for values.
_ATTRS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "INT": ("an int", _is_int),
    "LONG": ("an int", _is_int),
    "FLOAT": ("a number", lambda value: isinstance(value, Real)),
    "STRING": ("a str", lambda value: isinstance(value, str)),
}
_LISTS = {"INTS": "INT", "LONGS": "LONG", "FLOATS": "FLOAT", "STRINGS": "STRING"}


def wrong_attr(op: OpDef, attrs: dict[str, Any]) -> ArgumentError | None:
    """The error of an attribute of the wrong type; called after a kernel has failed, so that calls need no check."""
    for attr in op.attrs.values():
        value = attrs.get(attr.param, attrs.get(attr.name, attr.default))
        if value is attr.default:
            continue
        if attr.type in _LISTS:
            words, fits = _ATTRS[_LISTS[attr.type]]
            if not isinstance(value, list | tuple) or not all(fits(one) for one in value):
                return ArgumentError(f"{attr.name} must be a list, each {words}, got {value!r:.60}")
        elif attr.type in _ATTRS:
            words, fits = _ATTRS[attr.type]
            if not fits(value):
                return ArgumentError(f"{attr.name} must be {words}, got {value!r:.60}")
    return None
