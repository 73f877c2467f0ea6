"""UnreadGradient: the variable of a gradient that is computed when it is read."""

from __future__ import annotations

import copy
from typing import Any

import torch

from refluid.eager.graph import Gradient, Leaf
from refluid.eager.postponed import Postponed
from refluid.eager.variable import VarBase


class UnreadGradient(VarBase):
    """A gradient as the optimizer returns it. It becomes a VarBase like any other when its value is read."""

    def __init__(self, postponed: Postponed):
        self.postponed = postponed

    def __getattr__(self, name: str) -> torch.Tensor:
        if name != "_t":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._t = self.__dict__.pop("postponed").value()
        self.__class__ = VarBase  # type: ignore[assignment]
        return self._t

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._read().__reduce_ex__(protocol)

    def __deepcopy__(self, memo: dict) -> VarBase:
        return copy.deepcopy(self._read(), memo)

    def _read(self) -> VarBase:
        self.__getattr__("_t")
        return self


def unread_gradient(var: VarBase) -> VarBase | None:
    """The gradient of a variable, as a variable; a postponed one is not computed for that."""
    accumulator = var._grad_node
    grad: Any = accumulator.held if type(accumulator) is Leaf else var._grad
    if grad is None:
        return None
    return UnreadGradient(grad) if isinstance(grad, Postponed) else VarBase(grad)


def held_gradient(var: VarBase) -> Gradient | Postponed:
    """What the variable of a gradient holds."""
    return var.postponed if type(var) is UnreadGradient else var._t
