"""The imperative step: the updates of many parameters, laid out once and run with new gradients every time."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any, TypeAlias

import torch

from refluid.core.errors import EnforceNotMet
from refluid.eager.base import tape
from refluid.eager.parameter import ParamBase
from refluid.eager.postponed import Postponed, settle, storage_of
from refluid.eager.variable import VarBase
from refluid.ops.checks import wrong_attr
from refluid.ops.fused import run_fused
from refluid.optim.update import Update
from refluid.tensor.selected_rows import SelectedRows

Held: TypeAlias = torch.Tensor | SelectedRows | Postponed
"""A gradient, or how to compute it."""


class Step:
    """Updates of one list of parameters, those of one kind in one call.

    Parameters and accumulators keep their tensors from step to step, so the lists of them that the fused kernels take
    are made once; gradients and learning rates are put in by `run`.
    """

    def __init__(self, params: list[ParamBase], updates: list[Update]):
        self.tensors = [param._t for param in params]
        self.storages = [storage_of(t) for t in self.tensors]
        self.factors = [param.optimize_attr["learning_rate"] for param in params]
        self.uniform = all(not isinstance(factor, VarBase) and factor == 1 for factor in self.factors)
        for update in updates:
            _lay_out_alike(update)
        kinds: dict[Any, list[int]] = {}
        for i, update in enumerate(updates):
            key = (update.op.type, tuple(update.inputs), tuple(sorted(update.attrs.items())))
            kinds.setdefault(key, []).append(i)
        self.groups = [
            _Group([updates[i] for i in indices], indices, len(indices) == len(updates)) for indices in kinds.values()
        ]

    def fits(self, params: list[ParamBase]) -> bool:
        """Whether it still holds: the same parameters in the same order, with the same memory and settings."""
        return (
            len(params) == len(self.tensors)
            and all(map(is_, [param._t for param in params], self.tensors))
            and [param.optimize_attr["learning_rate"] for param in params] == self.factors
        )

    def run(self, grads: list[Held], rate: torch.Tensor) -> None:
        settle(self.storages)
        rates = [rate] * len(grads) if self.uniform else [_scaled(rate, factor) for factor in self.factors]
        for group in self.groups:
            group.run(grads, rates)


class _Group:
    def __init__(self, updates: list[Update], indices: list[int], whole: bool):
        first = updates[0]
        op = self.op = first.op
        self.indices, self.whole = indices, whole
        self.attrs = op.kernel_attrs(first.attrs)
        self.lists: list[Any] = [
            [update.inputs[slot.name]._t for update in updates] if slot.name in first.inputs else None
            for slot in op.inputs
        ]
        self.grad = op.input_index["Grad"]
        self.rate = op.input_index.get("LearningRate")

    def run(self, grads: list[Held], rates: list[torch.Tensor]) -> None:
        if not self.whole:
            grads, rates = [grads[i] for i in self.indices], [rates[i] for i in self.indices]
        lists = self.lists
        lists[self.grad] = grads
        if self.rate is not None:
            lists[self.rate] = rates
        try:
            if self.op.engine:  # needs random numbers, which the tape gives
                for i in range(len(grads)):
                    inputs = tuple(None if values is None else VarBase(values[0]) for values in self._part([i]))
                    tape().run(self.op, inputs, self.attrs, None, None)
            elif Postponed in set(map(type, grads)):
                # One at a time, each freed after its update.
                postponed = [i for i, grad in enumerate(grads) if type(grad) is Postponed]
                ready = [i for i in range(len(grads)) if i not in postponed]
                for part in (ready, *([i] for i in postponed)):
                    if part:
                        run_fused(self.op, self._part(part), self.attrs)
            else:
                run_fused(self.op, tuple(lists), self.attrs)
        except (EnforceNotMet, RuntimeError, TypeError) as error:
            told = error if isinstance(error, EnforceNotMet) else wrong_attr(self.op, self.attrs)
            if told is None:
                raise
            raise told.within(self.op.type, []).shortened() from told.__cause__
        finally:
            lists[self.grad] = None  # the gradients must not live on until the next step

    def _part(self, indices: Sequence[int]) -> tuple[Any, ...]:
        """The lists of some of the updates, with their gradients computed."""
        lists = [values and [values[i] for i in indices] for values in self.lists]
        lists[self.grad] = [grad.compute() if type(grad) is Postponed else grad for grad in lists[self.grad]]
        return tuple(lists)


def _scaled(rate: torch.Tensor, factor: float | VarBase) -> torch.Tensor:
    """The learning rate of one parameter."""
    return factor._t if isinstance(factor, VarBase) else rate if factor == 1 else rate * float(factor)


def _lay_out_alike(update: Update) -> None:
    """Give accumulators the strides of their parameter: fused kernels walk over memory and do not look at strides."""
    param = update.inputs["Param"]._t
    for slot, var in update.inputs.items():
        t = getattr(var, "_t", None)
        if slot not in ("Param", "Grad") and isinstance(t, torch.Tensor):
            if t.shape == param.shape and t.stride() != param.stride():
                var._t = torch.empty_like(param, dtype=t.dtype).copy_(t)
