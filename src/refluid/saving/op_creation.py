"""Operators made from OpProto messages: the parts of fluid.op."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, DtypeError
from refluid.executor.single import Operator
from refluid.saving.framework_messages import AttrType, OpDesc, OpProto

_FIELDS = {"INT": "i", "FLOAT": "f", "LONG": "l", "STRING": "s", "BOOLEAN": "b"}
_LISTS = {"INTS": "ints", "FLOATS": "floats", "STRINGS": "strings", "BOOLEANS": "bools", "LONGS": "longs"}


def is_str(s: object) -> bool:
    return isinstance(s, str)


class OpDescCreationMethod:
    """Makes OpDesc messages of one kind of operator: `method(X="x", Out="y", scale=2.0)`."""

    def __init__(self, op_proto: object):
        if not isinstance(op_proto, OpProto):
            raise DtypeError(f"OpDescCreationMethod: op_proto must be an OpProto, got {type(op_proto).__name__}")
        self._proto = op_proto

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if args:
            raise ArgumentError(f"{self._proto.type}: give slots and attributes by name")
        desc = OpDesc(type=self._proto.type)
        for slots, add in ((self._proto.inputs, desc.inputs.add), (self._proto.outputs, desc.outputs.add)):
            for slot in slots:
                names = kwargs.get(slot.name, [])
                names = [names] if is_str(names) else list(names)
                if len(names) > 1 and not slot.duplicable:
                    raise ArgumentError(f"{self._proto.type}: {slot.name} takes one variable, got {len(names)}")
                add(parameter=slot.name, arguments=names)
        for attr in self._proto.attrs:
            value = kwargs.get(attr.name)
            if value is not None and not attr.generated:
                self._write(desc.attrs.add(name=attr.name, type=attr.type), value)
        return desc

    @staticmethod
    def _write(message: Any, value: object) -> None:
        value = value.tolist() if isinstance(value, np.ndarray) else value
        kind = AttrType.Name(message.type)
        if kind in _FIELDS:
            setattr(message, _FIELDS[kind], value)
        elif kind in _LISTS:
            getattr(message, _LISTS[kind]).extend(value)
        else:
            raise ArgumentError(f"{message.name}: attributes that are blocks cannot be given here")

    @staticmethod
    def any_is_true(generator: Iterable[object]) -> bool:
        return any(generator)


@dataclass
class OpInfo:
    """How to make one kind of operator, and the names of its slots and attributes."""

    name: str
    method: Callable
    inputs: list[tuple[str, bool]]
    outputs: list[tuple[str, bool]]
    attrs: list[str]


def create_op_creation_method(op_proto: Any) -> OpInfo:
    """How to make the operators of an OpProto."""
    return OpInfo(
        name=op_proto.type,
        method=lambda **kwargs: Operator(op_proto.type, **kwargs),
        inputs=[(slot.name, slot.duplicable) for slot in op_proto.inputs],
        outputs=[(slot.name, slot.duplicable) for slot in op_proto.outputs],
        attrs=[attr.name for attr in op_proto.attrs],
    )
