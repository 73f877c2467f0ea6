"""What a call looks like: which arguments are tensors, of what kind, and everything that a program depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.errors import ModeError
from refluid.eager.base import to_variable
from refluid.eager.variable import VarBase
from refluid.ir.variable import Variable
from refluid.nn.layer import Layer
from refluid.nn.members import Members

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class Tensors:
    """The arguments of one call with numbers in place of tensors, and the tensors.

    `key` is equal for calls that one program serves.
    """

    __slots__ = ("args", "key", "kwargs", "variables")

    def __init__(self, args: tuple, kwargs: dict[str, Any]):
        self.variables: list[VarBase] = []
        parts: list[Any] = []
        if args and isinstance(args[0], Layer):  # whose own programs these are: it must not be kept alive by them
            parts += [Members.changes, _modes(args[0])]
            self.args = (args[0], *[self._take(arg, parts) for arg in args[1:]])
        else:
            self.args = tuple([self._take(arg, parts) for arg in args])
        self.kwargs = {name: self._take(arg, parts) for name, arg in kwargs.items()}
        if kwargs:
            parts.append(tuple(kwargs))
        self.key = tuple(parts)

    def _take(self, value: object, parts: list[Any]) -> Structure:
        if isinstance(value, VarBase):
            t = value._t
            parts.append((t.dtype, t.shape, value._lod is not None))
            self.variables.append(value)
            return Slot(len(self.variables) - 1)
        if isinstance(value, np.ndarray):
            return self._take(to_variable(value), parts)
        if isinstance(value, Variable):
            raise ModeError(
                f"declarative: {value.name} is a variable of a program, but the function is called in the imperative "
                "mode; pass numpy arrays or variables made by fluid.dygraph.to_variable"
            )
        if isinstance(value, list | tuple):
            parts.append((type(value), len(value)))
            items = [self._take(one, parts) for one in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if isinstance(value, dict):
            parts.append((dict, tuple(value)))
            return {key: self._take(one, parts) for key, one in value.items()}
        if isinstance(value, Layer):
            parts += [Members.changes, _modes(value), Same(value)]
            return value
        parts.append((type(value), value) if getattr(value, "__hash__", None) is not None else Same(value))
        return value

    def filled(self, variables: list[Any]) -> tuple[tuple, dict[str, Any]]:
        """The arguments with other tensors in the places of these."""
        return _fill(self.args, variables), _fill(self.kwargs, variables)


class Slot(int):
    """The place of a tensor among the arguments."""


class Same:
    """Equal to the same object alone."""

    __slots__ = ("value",)

    def __init__(self, value: object):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def _modes(layer: Layer) -> tuple[bool, ...]:
    """Whether the layer and those below it train or evaluate."""
    modes = []
    stack = [layer]
    while stack:
        current = stack.pop()
        modes.append(current.training)
        stack += [below for below in current._sub_layers.values() if below is not None]
    return tuple(modes)


def _fill(value: object, variables: list[Any]) -> Structure:
    if isinstance(value, Slot):
        return variables[value]
    if isinstance(value, dict):
        return {key: _fill(one, variables) for key, one in value.items()}
    if isinstance(value, list | tuple):
        items = [_fill(one, variables) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def loose(key: tuple) -> tuple:
    """The key without the first sizes of tensors: the same for calls that differ in the size of the batch alone."""
    return tuple([(part[0], len(part[1]), part[1][1:], part[2]) if _is_tensor(part) else part for part in key])


def batch_sizes(key: tuple) -> tuple:
    return tuple([part[1][:1] for part in key if _is_tensor(part)])


def _is_tensor(part: object) -> bool:
    return isinstance(part, tuple) and len(part) == 3 and hasattr(part[1], "numel")
