"""Reducer: the gradients of a model summed over all ranks, in buckets that start while the backward pass still runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from refluid.distributed.agreement import Agreement
from refluid.distributed.buckets import Bucket, Layout, grouped
from refluid.distributed.ring import Exchange, Ring
from refluid.distributed.sparse import sum_rows
from refluid.distributed.steps import Steps
from refluid.tensor.selected_rows import SelectedRows, to_dense

if TYPE_CHECKING:
    from refluid.eager.variable import VarBase
    from refluid.ir.base_variable import BaseVariable

_NONE, _SPARSE, _DENSE = 0, 1, 2


class Reducer:
    """Sums gradients of `params`, the same list on every rank.

    A backward pass reports complete gradients (`begin`, `ready`); a bucket is started when all of its gradients
    are and those before it have started, so that all ranks start them in one order. `finish` waits and returns the
    sums. A gradient that a rank does not have counts as zeros; one that no rank has stays None.
    """

    def __init__(self, ring: Ring, params: Sequence[Any]):
        self.ring = ring
        self.params = list(reversed(params))  # gradients of the last layers are complete first
        self._buckets: list[_Gradients] | None = None
        self._sparse: list[Any] = []
        self._place: dict[int, tuple[int, int]] = {}  # id of a parameter: its bucket, its index there
        self._started = 0
        self._active = False
        lines = [f"{str(param._t.dtype).removeprefix('torch.')} {list(param._t.shape)}" for param in params]
        self._agreement = Agreement("the gradients that are summed", lines)
        self._steps = Steps(self.params)

    def serves(self, params: Sequence[Any]) -> bool:
        """Whether these are still the parameters."""
        return len(params) == len(self.params) and all(
            a is b for a, b in zip(params, reversed(self.params), strict=True)
        )

    # -- while the backward pass runs -----------------------------------------------------------------------------

    def leaves(self) -> dict[Any, Any]:
        """{the variable that accumulates a gradient: its parameter}, of the parameters that are in buckets."""
        if self._buckets is None:
            return {}  # which gradients are sparse is seen in the first step
        return {p._grad_node: p for bucket in self._buckets for p in bucket.params if p._grad_node is not None}

    def begin(self, reached: Iterable[Any]) -> None:
        """A backward pass begins that will reach these parameters."""
        self._drain()
        if self._buckets is None:
            return
        waited = {id(param) for param in reached}
        for bucket in self._buckets:
            bucket.missing = sum(id(param) in waited for param in bucket.params)
        self._come_together()
        self._started = 0
        self._active = True
        self._start_complete()

    def buffer(self, param: BaseVariable) -> torch.Tensor:
        """The slice of a gradient in its bucket, which is not sent while a backward pass computes gradients."""
        assert self._buckets is not None
        number, at = self._place[id(param)]
        return self._buckets[number].place(at)

    def ready(self, param: BaseVariable) -> None:
        """The gradient of a parameter is complete."""
        assert self._buckets is not None
        number, _ = self._place[id(param)]
        self._buckets[number].missing -= 1
        if not self._buckets[number].missing:
            self._start_complete()

    def _start_complete(self) -> None:
        assert self._buckets is not None
        while self._started < len(self._buckets) and not self._buckets[self._started].missing:
            self._buckets[self._started].start(self.ring, self._steps)
            self._started += 1

    def _come_together(self) -> None:
        """All ranks are about to sum the gradients of this model."""
        self._agreement.settle(self.ring)
        self._steps.look()

    # -- after it -------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Every parameter's gradient becomes the sum over all ranks."""
        if self._buckets is None:
            self._lay_out()
        assert self._buckets is not None
        if not self._active:
            self._started = 0
        self._active = False
        self._come_together()
        for bucket in self._buckets[self._started :]:
            bucket.start(self.ring, self._steps)
        for param in self._sparse:
            self._sum_sparse(param)
        for bucket in self._buckets:
            bucket.finish(self.ring, self._steps)
        self._steps.end()

    def _drain(self) -> None:
        """A backward pass before this one was never applied: its sums are not wanted."""
        if self._active and self._buckets is not None:
            for bucket in self._buckets[: self._started]:
                bucket.wait()
        self._active = False

    def _lay_out(self) -> None:
        """Which gradients are sparse on all ranks, and which go into which bucket."""
        kinds = torch.tensor([_kind(param._grad) for param in self.params] or [_NONE])
        self.ring.all_reduce(kinds, "max", what="kinds of gradients").wait()
        kinds_of_params = kinds.tolist()[: len(self.params)]
        self._sparse = [param for param, kind in zip(self.params, kinds_of_params, strict=True) if kind == _SPARSE]
        dense = [param for param, kind in zip(self.params, kinds_of_params, strict=True) if kind != _SPARSE]
        groups = grouped([Layout.of(param._t) for param in dense])
        self._buckets = [_Gradients([dense[i] for i in group], number) for number, group in enumerate(groups)]
        for number, bucket in enumerate(self._buckets):
            for index, param in enumerate(bucket.params):
                self._place[id(param)] = (number, index)

    def _sum_sparse(self, param: VarBase) -> None:
        grad = param._grad
        if not isinstance(grad, SelectedRows):
            grad = _as_rows(grad, param._t)
        total = sum_rows(self.ring, grad, agreed=True)
        if total.index.numel():
            param._as_leaf().grad = total


class _Gradients:
    """A bucket of gradients and their parameters."""

    def __init__(self, params: list[Any], number: int):
        self.params = params
        self.missing = 0
        self._number = number
        self._bucket = Bucket([Layout.of(param._t) for param in params])
        self._exchange: Exchange | None = None

    def place(self, number: int) -> torch.Tensor:
        """The slice of a gradient, with the layout of its parameter."""
        self._bucket.lay_out(number, self.params[number]._t.stride())
        return self._bucket.views[number]

    def start(self, ring: Ring, steps: Steps) -> None:
        bucket = self._bucket
        for i, param in enumerate(self.params):
            grad = param._grad
            bucket.lay_out(i, param._t.stride())
            bucket.put(i, to_dense(grad) if isinstance(grad, SelectedRows) else grad)
        steps.stamp(bucket.stamp, ring)
        what = f"gradients of {steps}, bucket {self._number}"
        self._exchange = ring.all_reduce(bucket.flat, what=what, agreed=True)

    def wait(self) -> None:
        if self._exchange is not None:
            self._exchange.wait()
            self._exchange = None

    def finish(self, ring: Ring, steps: Steps) -> None:
        self.wait()
        *flags, stamp = self._bucket.tail.tolist()
        steps.check(stamp, self._bucket.flat.dtype, ring)
        for param, view, flag in zip(self.params, self._bucket.views, flags, strict=True):
            if flag:
                param._as_leaf().grad = view


def _kind(grad: object) -> int:
    return _NONE if grad is None else _SPARSE if isinstance(grad, SelectedRows) else _DENSE


def _as_rows(grad: Any, param: torch.Tensor) -> SelectedRows:
    """A gradient that is dense, or absent, as rows."""
    if grad is None:
        index = torch.empty(0, dtype=torch.int64, device=param.device)
        return SelectedRows.of(index, param.new_empty((0, *param.shape[1:])), param.shape[0])
    return SelectedRows.of(torch.arange(param.shape[0], device=param.device), grad, param.shape[0])
