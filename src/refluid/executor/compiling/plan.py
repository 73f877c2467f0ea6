"""A plan that compiles runs of small calls, once per shapes of the feeds."""

from __future__ import annotations

import threading
from typing import Any

import torch

from refluid.core.places import CPU
from refluid.core.warn import warn_once
from refluid.executor.compiling.group import groups_of
from refluid.executor.compiling.record import Recording
from refluid.executor.graph.region import Graph
from refluid.executor.plan import Plan
from refluid.executor.source import Source
from refluid.ir.program import Program
from refluid.native.build import CannotBuild, load_text
from refluid.tensor.scope import Scope

MOST_SHAPES = 8  # of one plan: each takes a compilation
MOST_TEXT = 1 << 20  # characters
_HEAD = "#include <cmath>\n#include <cstdint>\n"
_UNKNOWN: Any = object()
_lock = threading.Lock()
_cannot = False  # whether a compilation has failed: it would fail again


class CompilingPlan(Plan):
    """Runs as it is where nothing can be compiled: without a compiler, for LoDs, for too many shapes."""

    def __init__(
        self, program: Program, feeds: tuple[str, ...], lod_feeds: frozenset[str], fetches: tuple[str, ...],
        device: torch.device, optimize: bool = True,
    ):  # fmt: skip
        super().__init__(program, feeds, lod_feeds, fetches, device, optimize)
        self._made_from = (program, feeds, lod_feeds, fetches, device, optimize)
        self._compiled: dict[tuple, Plan | None] = {}  # by shapes; None: this one runs
        self._never = bool(lod_feeds) or not optimize or device != CPU or self.source.check_nan

    def run(self, feeds: list[torch.Tensor], lods: list[Any], scope: Scope) -> tuple[tuple, tuple]:
        if self._never:
            return super().run(feeds, lods, scope)
        key = tuple([(getattr(t, "shape", None), getattr(t, "dtype", None)) for t in feeds])
        plan = self._compiled.get(key, _UNKNOWN)
        if plan is _UNKNOWN:
            return self._first_run(key, feeds, lods, scope)
        return super().run(feeds, lods, scope) if plan is None else plan.run(feeds, lods, scope)

    def _first_run(self, key: tuple, feeds: list, lods: list, scope: Scope) -> tuple[tuple, tuple]:
        """Run and record what is called; the next run finds it compiled."""
        if _cannot or len(self._compiled) >= MOST_SHAPES:
            self._never = _cannot
            return super().run(feeds, lods, scope)
        recording = Recording()
        recorder = Plan(*self._made_from, prepare=lambda graph, source: recording.wrap(graph))
        results = recorder.run(feeds, lods, scope)
        plan = Plan(*self._made_from, prepare=lambda graph, source: _compile(graph, source, recording))
        self._compiled[key] = plan if plan.source.groups else None
        return results


def _compile(graph: Graph, source: Source, recording: Recording) -> None:
    """Compile the groups of a graph and tell the source of them; nothing happens where that is impossible."""
    global _cannot
    groups = groups_of(graph, recording)
    text = _HEAD
    for _, group_text in groups:
        text += group_text
    if not groups or len(text) > MOST_TEXT:
        return
    with _lock:
        if _cannot:
            return
        try:
            library = load_text(text)
        except CannotBuild as why:
            _cannot = True
            warn_once(
                f"plans cannot be compiled: {why}. They compute the same without; FLAGS_refluid_compile=0 chooses that "
                "without this warning"
            )
            return
    for number, (group, _) in enumerate(groups):
        group.bind(library, f"group_{number}")
        source.groups[group.nodes[0]] = group
