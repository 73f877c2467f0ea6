"""Values that a plan makes from parameters once and keeps: folded and packed filters.

Note [Values made from parameters]
    A pass names such a value like a variable and says how it is made (`Derived`). A scope that a plan is bound to gets
    a `Kept` for it, which a run asks for the value at its start. It is recomputed when a parameter has changed since:
    when the scope holds another tensor, or the same one written to (torch counts the writes of every tensor). Not seen
    are writes past torch, through a numpy array that shares a parameter's memory (`LoDTensor.set(zero_copy=True)`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from refluid.tensor.scope import ScopeVar


@dataclass(frozen=True)
class Derived:
    """`make(*sources)`; a source is the name of a persistable or derived itself."""

    make: Callable[..., Any]  # a tensor, or what holds tensors
    sources: tuple[str | Derived, ...]

    def names(self) -> Iterator[str]:
        """The persistables it is made from."""
        for source in self.sources:
            if isinstance(source, Derived):
                yield from source.names()
            else:
                yield source

    def value(self, tensors: dict[str, torch.Tensor]) -> Any:
        return self.make(
            *(source.value(tensors) if isinstance(source, Derived) else tensors[source] for source in self.sources)
        )


class Kept:
    """A derived value of one scope, with the tensors that it was made from and how often those had been written to."""

    __slots__ = ("derived", "value", "variables")

    def __init__(self, derived: Derived, variables: dict[str, ScopeVar]):
        self.derived, self.variables = derived, variables
        # Threads may share it: one of them stores both parts of a new value at once.
        self.value: tuple[list[tuple[ScopeVar, torch.Tensor, int]], Any] = ([], None)

    def current(self) -> Any:
        seen, value = self.value
        for var, tensor, version in seen:
            now = var.value.t
            if now is not tensor or now._version != version:
                break
        else:
            if value is not None:
                return value
        return self._make()

    def _make(self) -> Any:
        tensors = {name: var.value.t for name, var in self.variables.items()}
        seen = [(var, tensors[name], tensors[name]._version) for name, var in self.variables.items()]
        value = self.derived.value(tensors)
        self.value = seen, value
        return value
