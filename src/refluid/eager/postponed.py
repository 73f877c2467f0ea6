"""Gradients of large weights that are computed when somebody reads them.

Note [Postponed gradients]
The gradient of a weight is as large as the weight. Where the input of the layer and the gradient of its output are much
smaller, as in the last stages of an image network, `loss.backward()` keeps those two and the gradient is computed when
it is read. The optimizer computes one at a time and frees it after the update, so that the gradients of all the weights
never exist together. The values are the same, bit for bit.

Nobody may write over what such a gradient will be computed from. So the input must have been made by an operator that
gives memory of its own, and what changes values in place (set_value, operators that write to their inputs, updates)
calls `settle` first.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch


class Postponed:
    """A gradient that is computed when it is read.

    Args:
        op_type: the type of the gradient operator.
        compute: gives the gradient.
        reads: what it computes the gradient from.
    """

    __slots__ = ("__weakref__", "_compute", "_storages", "_value", "op_type")

    def __init__(self, op_type: str, compute: Callable[[], torch.Tensor], reads: Sequence[torch.Tensor]):
        self.op_type = op_type
        self._compute: Callable[[], torch.Tensor] | None = compute
        self._storages = frozenset(map(storage_of, reads))
        self._value: torch.Tensor | None = None
        _pending[id(self)] = self

    def compute(self) -> torch.Tensor:
        """The gradient, which is not kept: who asks has its only reference."""
        compute = self._compute  # looked at once: another thread may be in value()
        return self._value if compute is None else compute()  # type: ignore[return-value]

    def value(self) -> torch.Tensor:
        """The gradient, which is kept from now on, and what it was computed from is not."""
        if self._value is None:
            self._value = self.compute()
            self._compute = None
            _pending.pop(id(self), None)
        return self._value

    def reads(self, storages: Iterable[int]) -> bool:
        return not self._storages.isdisjoint(storages)


_pending: weakref.WeakValueDictionary[int, Postponed] = weakref.WeakValueDictionary()


def settle(storages: Sequence[int]) -> None:
    """Compute the postponed gradients that read any of these storages, which will be written to."""
    if _pending:
        for ref in _pending.valuerefs():
            postponed = ref()
            if postponed is not None and postponed.reads(storages):
                postponed.value()


def settle_readers(values: Iterable[Any]) -> None:
    """The same for tensors, lists of them, and whatever else inputs of operators are."""
    if _pending:
        tensors = (one for value in values for one in (value if isinstance(value, list) else (value,)))
        settle([storage_of(one) for one in tensors if isinstance(one, torch.Tensor)])


def storage_of(t: torch.Tensor) -> int:
    return t.untyped_storage().data_ptr()
