"""Timing every operator of both modes while the profiler is on.

Note [Timing is free when it is off]
No operator call asks whether a profiler runs. Starting one puts timed functions in the place of those that all calls go
through, and stopping puts the old ones back: the runs of plans and the kernels that they call, the calls of the tape,
the gradients of its nodes, and the updates of the imperative optimizers.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from refluid.core.callsite import CallSite, user_site
from refluid.eager import backward, grad
from refluid.eager.postponed import Postponed
from refluid.eager.tape import Tape
from refluid.executor.network.network import run_network
from refluid.executor.plan import Plan
from refluid.executor.pointwise.caller import is_caller
from refluid.optim import step

RUN = "Executor.run"


class Event(NamedTuple):
    """Something that took time. All times are in nanoseconds."""

    name: str
    detail: str  # which of the calls of this name: the user's line, and shapes, as far as the table tells them apart
    thread: int
    start: int
    end: int
    inner: int  # how much of it was spent in events inside this one
    depth: int  # how many events it lies in
    line: str  # the user's line, for the timeline; empty where there is none

    @property
    def took(self) -> int:
        return self.end - self.start


class Timer:
    """Times calls between `install` and `remove`.

    Args:
        lines: tell calls of different lines of the user's program apart.
        shapes: tell calls with inputs of different shapes apart.
        synchronize: wait after each call for the CUDA device, so that its work counts.
    """

    def __init__(self, lines: bool = False, shapes: bool = False, synchronize: bool = False):
        self.events: list[Event] = []
        self.lines, self.shapes, self.synchronize = lines, shapes, synchronize
        self._threads: dict[int, int] = {}
        self._inside = threading.local()
        self._plain: weakref.WeakKeyDictionary[Plan, Callable] = weakref.WeakKeyDictionary()
        self._replaced: list[tuple[Any, str, Callable]] = []

    # -- putting timed functions in place -------------------------------------------------------------------------

    def install(self) -> None:
        run = Plan.run

        def run_plan(plan: Plan, *args: object) -> Any:
            if plan not in self._plain:
                self._plain[plan] = plan.function
                plan.function = self._timed_function(plan)
            return self.call(RUN, "", _place(user_site()), run, plan, *args)

        self._replace(Plan, "run", run_plan)
        # What each is called as, from its arguments; of which arguments shapes tell something.
        self._time(Tape, "run", lambda tape, op, *_: op.type, inputs=2, site=user_site)
        self._time(backward, "_pass_on", lambda node, *_: f"{node.recipe.op.type}_grad")
        self._time(Postponed, "compute", lambda postponed: postponed.op_type)
        self._time(grad, "_gradients", lambda node, *_: f"{node.recipe.op.type}_grad")
        self._time(step._Group, "run", lambda group, *_: f"{group.op.type}_all")

    def remove(self) -> None:
        while self._replaced:
            setattr(*self._replaced.pop())
        for plan, function in list(self._plain.items()):
            plan.function = function
        self._plain.clear()

    def _replace(self, owner: object, name: str, function: Callable) -> None:
        self._replaced.append((owner, name, getattr(owner, name)))
        setattr(owner, name, function)

    def _time(
        self,
        owner: object,
        name: str,
        title: Callable[..., str],
        inputs: int | None = None,
        site: Callable[[], CallSite | None] = lambda: None,  # which line the table tells of
    ) -> None:
        plain = getattr(owner, name)

        @functools.wraps(plain)
        def timed(*args: Any) -> Any:
            detail = self._detail(site(), () if inputs is None else args[inputs]) if self.lines else ""
            return self.call(title(*args), detail, _place(user_site()), plain, *args)

        self._replace(owner, name, timed)

    def _timed_function(self, plan: Plan) -> Callable:
        """The plan's function with timed kernels: the same code with other globals, so failures are told as ever."""
        labels = {id(s.kernel or s.op.kernel): s.name for s in plan.source.node_at.values()}
        timed = {
            name: self._timed_kernel(plan, value, labels[id(value)]) if id(value) in labels else value
            for name, value in plan.source.globals.items()
        }
        # A network is one call, which would not tell what its operators take: they run one by one. So do pointwise
        # runs and compiled groups.
        groups = {id(group.caller) for group in plan.source.groups.values()}
        together = {n for n, v in timed.items() if v is run_network or is_caller(v) or id(v) in groups}
        timed |= dict.fromkeys(together, _no_result)
        return types.FunctionType(plan.function.__code__, timed)

    def _timed_kernel(self, plan: Plan, kernel: Callable, label: str) -> Callable:
        steps = plan.source.node_at

        def timed(*args: object, **attrs: object) -> Any:
            at = steps.get(sys._getframe(1).f_lineno)
            site = at.operator.site if at else None
            return self.call(
                label, self._detail(site, args) if self.lines else "", _place(site), kernel, *args, **attrs
            )

        return timed

    # -- timing ---------------------------------------------------------------------------------------------------

    def call(self, name: str, detail: str, line: str, function: Callable, *args: object, **attrs: object) -> Any:
        """Call a function and note how long it takes."""
        inside = self._inside.__dict__.setdefault("spent", [])
        inside.append(0)
        start = time.perf_counter_ns()
        try:
            result = function(*args, **attrs)
            if self.synchronize:
                torch.cuda.synchronize()
            return result
        finally:
            end = time.perf_counter_ns()
            inner = inside.pop()
            if inside:
                inside[-1] += end - start
            thread = self._threads.setdefault(threading.get_ident(), len(self._threads))
            self.events.append(Event(name, detail, thread, start, end, inner, len(inside), line))

    def _detail(self, site: CallSite | None, inputs: Sequence[object]) -> str:
        parts = [_place(site)] if site else []
        if self.shapes:
            parts += [str(list(one.shape)) for one in inputs if hasattr(one, "shape")]
        return " ".join(parts)


def _place(site: CallSite | None) -> str:
    return f"{site.filename.rsplit('/', 1)[-1]}:{site.line}" if site else ""


def _no_result(*_: object) -> None:
    """In place of a call for many operators: it takes no inputs, so that the lines of the plan compute them."""
