"""A plan: a block, for a set of feeds and fetches, as a compiled Python function."""

from __future__ import annotations

import itertools
import linecache
import weakref
from typing import Any

import torch

from refluid.core.dtypes import VarType
from refluid.core.errors import EnforceNotMet, NotFoundError
from refluid.executor import runtime
from refluid.executor.blocks.arrays import emit_arrays, written_arrays
from refluid.executor.codegen import Source, emit, nan_checks_wanted
from refluid.executor.derived import Kept
from refluid.executor.failure import explain
from refluid.executor.passes import run_passes
from refluid.executor.step import Step, all_steps, steps_of
from refluid.ir.block import Block
from refluid.ir.program import Program
from refluid.ops.checks import wrong_dtype
from refluid.tensor.scope import Scope

_count = itertools.count()


class Plan:
    """Compiled once, run many times. `feeds` and `fetches` are names; `lod_feeds` those that come with a LoD."""

    def __init__(
        self,
        program: Program,
        feeds: tuple[str, ...],
        lod_feeds: frozenset[str],
        fetches: tuple[str, ...],
        device: torch.device,
        optimize: bool = True,
    ):
        self.block: Block = program.global_block()
        self.feeds = feeds
        self.fetches = fetches
        steps = steps_of(self.block)
        self._check_names(steps)
        self.steps, self.layout, self.derived = run_passes(
            steps, self.block, set(feeds), set(fetches), device, optimize
        )
        steps = self.steps
        self.required = self._required(steps)
        self.source = source = Source(self.persistable, device, program, nan_checks_wanted())
        self.fetched_lods = self._write(source, lod_feeds)
        self.filename = f"<plan {next(_count)}>"
        self.text = source.text()
        linecache.cache[self.filename] = (len(self.text), None, self.text.splitlines(True), self.filename)
        weakref.finalize(self, linecache.cache.pop, self.filename, None)
        exec(compile(self.text, self.filename, "exec"), source.globals)
        self.function = source.globals["run"]
        self.scope_vars = tuple(source.scope_vars)
        self._bound: weakref.WeakKeyDictionary[Scope, tuple[int, tuple]] = weakref.WeakKeyDictionary()

    def persistable(self, name: str) -> bool:
        var = self.block.find_var(name)
        return var is not None and var.persistable

    # -- building -----------------------------------------------------------------------------------------------

    def _check_names(self, steps: list[Step]) -> None:
        for name in self.feeds:
            if self.block.find_var(name) is None:
                known = sorted(v.name for v in self.block.vars.values() if v.is_data)
                raise NotFoundError(
                    f"feed: the program has no variable {name!r}; its data are {', '.join(known) or 'none'}"
                )
        for name in self.fetches:
            if self.block.find_var(name) is None:
                raise NotFoundError(f"fetch_list: the program has no variable {name!r}")

    def _required(self, steps: list[Step]) -> dict[str, None]:
        """Refuse what nobody provides; returns the persistables that must have values, in the order of their use."""
        defined: set[str] = {*self.feeds, *written_arrays(steps, self.block)}
        required: dict[str, None] = {}

        def visit(parts: list[Step], local: set[str]) -> None:
            for step in parts:
                for name in (n for names in step.inputs for n in names if n):
                    if name in local:
                        continue
                    if self.persistable(name):
                        required[name] = None
                    elif name in self.derived:
                        required.update(dict.fromkeys(self.derived[name].names()))
                    elif not step.body:
                        raise self._missing(name, step)
                if step.body:
                    block = step.operator.sub_block
                    assert block is not None
                    local.update(written_arrays(step.body, block))
                    local.update(step.set_inside())
                    visit(step.body, local)
                    local.update(step.saved)
                for part in step.merged:
                    visit([part], local)
                local.update(step.writes())

        visit(steps, defined)
        for name in self.fetches:
            if name not in defined:
                if not self.persistable(name):
                    raise NotFoundError(f"fetch_list: nothing in the program computes {name!r}, and it is not fed")
                required[name] = None
        return required

    def _missing(self, name: str, step: Step) -> EnforceNotMet:
        var = self.block.find_var(name)
        details = step.operator.details()
        if var is not None and var.is_data:
            fed = ", ".join(self.feeds) or "nothing"
            return NotFoundError(
                f"feed: {name!r} is missing ({var.describe()}); {step.op.type} reads it, and the feed has {fed}",
                details,
            )
        return NotFoundError(f"{step.op.type}: reads {name!r}, which nothing computes before it", details)

    def _write(self, source: Source, lod_feeds: frozenset[str]) -> list[bool]:
        """Write the whole function; returns which fetches come with a LoD."""
        for i, name in enumerate(self.feeds):
            if self.persistable(name):  # it keeps the value
                source.globals["put"] = runtime.put
                given = f"put({source.scope_var(name)}, feeds[{i}], False, lods[{i}])"
            else:
                given = f"feeds[{i}]"
            source.line(f"{source.ident(name)} = {given}")
            if name in lod_feeds:
                source.lods[name] = source.unique(f"{source.ident(name)}_lod")
                source.line(f"{source.lods[name]} = lods[{i}]")
        for name in self._reads_before_write():
            var = source.scope_var(name)
            if name in self.layout:
                source.globals["channels_last"] = runtime.channels_last
                source.line(f"{source.ident(name)} = channels_last({var})")
            elif self._is_sparse(name):
                source.line(f"{source.ident(name)} = {var}.value")
            else:
                source.line(f"{source.ident(name)} = {var}.value.t")
            if self._has_lod(name):
                source.lods[name] = source.unique(f"{source.ident(name)}_lod")
                source.line(f"{source.lods[name]} = {var}.value.lod_value")
        for step in self.steps:
            for name in (n for names in step.inputs for n in names if n in self.derived):
                source.line(f"{source.ident(name)} = {source.scope_var(name)}.current()", step)
        emit_arrays(source, self.steps, self.block, 1, frozenset(self.feeds))
        emit(source, self.steps, {*self.fetches, *self.derived})
        values = ", ".join(source.fetched.get(name) or source.ident(name) for name in self.fetches)
        lods = ", ".join(source.lods.get(name, "None") for name in self.fetches)
        source.line(f"return ({values}{',' if self.fetches else ''}), ({lods}{',' if self.fetches else ''})")
        source.lines.insert(0, "def run(feeds, lods, scope):")
        source.step_at = {line + 1: step for line, step in source.step_at.items()}
        return [name in source.lods for name in self.fetches]

    def _is_sparse(self, name: str) -> bool:
        var = self.block.find_var(name)
        return var is not None and var.type == VarType.SELECTED_ROWS

    def _has_lod(self, name: str) -> bool:
        var = self.block.find_var(name)
        return var is not None and var.type == VarType.LOD_TENSOR and var.lod_level > 0

    def _reads_before_write(self) -> list[str]:
        """Persistables that the steps, or the fetches, read before any step has written them."""
        written: set[str] = set(self.feeds)
        found: dict[str, None] = {}
        for step in self.steps:
            for name in step.reads():
                if name not in written and self.persistable(name):
                    found[name] = None
            if step.body:  # it may not run, and then the old values stand
                found.update(dict.fromkeys(n for n in step.writes() if n not in written and self.persistable(n)))
                continue
            inplace = {n for part in (step, *step.merged) for n in part.inplace_names()}
            written.update(name for name in step.writes() if name not in inplace)
        for name in self.fetches:
            if name not in written and self.persistable(name):
                found[name] = None
        return list(found)

    # -- running ------------------------------------------------------------------------------------------------

    def bind(self, scope: Scope) -> tuple:
        """The scope's variables that the plan uses, in its order."""
        known = self._bound.get(scope)
        if known is None or known[0] != scope.erased:
            self._declare(scope)
            found = tuple(self._scope_var(scope, name) for name in self.scope_vars)
            known = self._bound[scope] = (scope.erased, found)
        return known[1]

    def _declare(self, scope: Scope) -> None:
        """Fluid: a run puts every persistable variable of its program into the scope, so that programs can set it."""
        for name, var in self.block.vars.items():
            if var.persistable and scope.find_var(name) is None:
                scope.var(name)

    def _scope_var(self, scope: Scope, name: str) -> Any:
        if name in self.derived:
            derived = self.derived[name]
            return Kept(derived, {source: self._scope_var(scope, source) for source in derived.names()})
        var = scope.find_var(name) or scope.var(name)
        if var.value is None and self._is_sparse(name):
            var.get_selected_rows()
        elif var.value is None:
            var.get_tensor()
        return var

    def check_dtypes(self, fed: dict[str, torch.dtype]) -> None:
        """Refuse feeds of dtypes that the operators which read them do not take; given for those not as declared."""
        for step in all_steps(self.steps):
            for slot, allowed in step.op.dtypes.items():
                for name in step.inputs[slot]:
                    if name in fed and fed[name] not in allowed:
                        raise wrong_dtype(step.op, slot, fed[name]).within(step.op.type, step.operator.details())

    def run(self, feeds: list[torch.Tensor], lods: list[Any], scope: Scope) -> tuple[tuple, tuple]:
        try:
            return self.function(feeds, lods, self.bind(scope))
        except Exception as error:  # every failure is told as one of the user's program; see failure.py
            raise explain(error, self, dict(zip(self.feeds, feeds, strict=True)), scope) from None
