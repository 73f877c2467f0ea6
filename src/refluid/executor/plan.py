"""A plan: a block, for a set of feeds and fetches, as a compiled Python function."""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable
from typing import Any

import torch

from refluid.core.callsite import site_rows
from refluid.core.dtypes import VarType
from refluid.core.errors import EnforceNotMet, NotFoundError
from refluid.executor import runtime
from refluid.executor.codegen import emit, nan_checks_wanted
from refluid.executor.derived import Kept
from refluid.executor.failure import explain, near_names
from refluid.executor.graph.build import graph_of
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph, all_nodes
from refluid.executor.graph.value import Value, present
from refluid.executor.network.network import run_network
from refluid.executor.passes import run_passes
from refluid.executor.passes.layout import channels_last_names
from refluid.executor.pointwise.run import find_runs, plans_runs
from refluid.executor.source import Source
from refluid.ir.block import Block
from refluid.ir.program import Program
from refluid.ops.checks import wrong_dtype
from refluid.tensor.scope import Scope

# What is done to the graph of a plan after the passes; see compiling/.
Prepare = Callable[[Graph, Source], None]
_count = itertools.count()
# Texts of plans that were freed. A finalizer may run inside linecache.checkcache, which must not lose an entry: the
# next
# plan removes them.
_gone: list[str] = []


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
        prepare: Prepare | None = None,
    ):
        self.block: Block = program.global_block()
        self.feeds = feeds
        self.fetches = fetches
        self._check_names()
        self.graph = graph_of(self.block, feeds, fetches)
        run_passes(self.graph, device, optimize)
        self.layout = channels_last_names(self.graph) if optimize else set()
        self.derived = {value.name: derived for value, derived in self.graph.derived.items()}
        self.required = self._required()
        self.source = source = Source(device, program, nan_checks_wanted())
        if prepare is not None:
            prepare(self.graph, source)
        elif optimize and plans_runs(device, lod_feeds, source):
            find_runs(self.graph, source)
        self._write(source, lod_feeds)
        self.filename = f"<plan {next(_count)}>"
        self.text = source.text()
        while _gone:
            linecache.cache.pop(_gone.pop(), None)
        linecache.cache[self.filename] = (len(self.text), None, self.text.splitlines(True), self.filename)
        weakref.finalize(self, _gone.append, self.filename)
        exec(compile(self.text, self.filename, "exec"), source.globals)
        self.function = source.globals["run"]
        self.scope_vars = tuple(source.scope_vars)
        self._bound: weakref.WeakKeyDictionary[Scope, tuple[int, tuple]] = weakref.WeakKeyDictionary()

    # -- building -----------------------------------------------------------------------------------------------

    def _check_names(self) -> None:
        for name in self.feeds:
            if self.block.find_var(name) is None:
                known = sorted(v.name for v in self.block.vars.values() if v.is_data)
                raise NotFoundError(
                    f"feed: the program has no variable {name!r}; its data are {', '.join(known) or 'none'}"
                )
        for name in self.fetches:
            if self.block.find_var(name) is None:
                raise NotFoundError(
                    f"Executor.run: fetch_list must name variables of the program, got {name!r}, which it does not have"
                    f"{near_names(name, self.block.vars)}"
                )

    def _required(self) -> dict[str, None]:
        """Refuse what nobody provides; returns the persistables that must have values, in the order of their use."""
        graph = self.graph
        required: dict[str, None] = {}
        for node in all_nodes(graph):
            for value in present(node.inputs):
                if graph.missing.get(value.name) is value:
                    raise self._missing(value.name, node)
                if graph.states.get(value.name) is value:
                    required[value.name] = None
                elif value in graph.derived:
                    required.update(dict.fromkeys(graph.derived[value].names()))
        for value in graph.fetches:
            if graph.missing.get(value.name) is value:
                raise NotFoundError(f"fetch_list: nothing in the program computes {value.name!r}, and it is not fed")
            if graph.states.get(value.name) is value:
                required[value.name] = None
        return required

    def _missing(self, name: str, node: Node) -> EnforceNotMet:
        var = self.block.find_var(name)
        details = node.operator.details()
        if var is not None and var.is_data:
            fed = ", ".join(self.feeds) or "nothing"
            return NotFoundError(
                f"feed: {name!r} is missing ({var.describe()}); {node.operator.type} reads it, and the feed has {fed} "
                "of the program's variables",
                [*details, *site_rows("called")],
            )
        return NotFoundError(f"{node.operator.type}: reads {name!r}, which nothing computes before it", details)

    def _write(self, source: Source, lod_feeds: frozenset[str]) -> None:
        """Write the whole function."""
        source.line("def run(feeds, lods, scope):", None, 0)
        if self.graph.network is not None and not lod_feeds and not source.check_nan:
            self._write_network(source, self.graph.network)
        self._write_inputs(source, lod_feeds)
        emit(source, self.graph, {*self.graph.fetches, *self.graph.derived})
        source.line(f"return ({self._fetched(source)}), ({self._fetched_lods(source)})")

    def _write_network(self, source: Source, network: Value) -> None:
        """All in one call; the lines below compute inputs that the call does not take, and say what is wrong."""
        run = source.constant(run_network, "network")
        source.line(f"results = {run}({source.scope_var(network.name)}.current(), feeds)")
        source.line("if results is not None:")
        source.line(f"return results, ({'None, ' * len(self.fetches)})", None, 2)

    def _write_inputs(self, source: Source, lod_feeds: frozenset[str]) -> None:
        for i, (name, value) in enumerate(self.graph.feeds.items()):
            fed = f"feeds[{i}]"
            if value.persistable:  # it keeps the value
                fed = f"put({source.scope_var(name)}, feeds[{i}], False, lods[{i}])"
            source.line(f"{source.define(value)} = {fed}")
            if name in lod_feeds:
                source.lods[value] = source.unique(f"{source.local(value)}_lod")
                source.line(f"{source.lods[value]} = lods[{i}]")
        for value in self._states():
            var = source.scope_var(value.name)
            if value.name in self.layout:
                line = f"{source.constant(runtime.channels_last, 'channels_last')}({var})"
            else:
                line = f"{var}.value" if _is_sparse(value) else f"{var}.value.t"
            source.line(f"{source.define(value)} = {line}")
            if _has_lod(value):
                source.lods[value] = source.unique(f"{source.local(value)}_lod")
                source.line(f"{source.lods[value]} = {var}.value.lod_value")
        for node in self.graph.nodes:
            for value in present(node.inputs):
                if value in self.graph.derived and value not in source.locals:
                    source.line(f"{source.define(value)} = {source.scope_var(value.name)}.current()", node)

    def _fetched(self, source: Source) -> str:
        return "".join(f"{source.local(value)}, " for value in self.graph.fetches).rstrip()

    def _fetched_lods(self, source: Source) -> str:
        return "".join(f"{source.lods.get(value, 'None')}, " for value in self.graph.fetches).rstrip()

    def _states(self) -> list[Value]:
        """Persistables whose values of before the run are read, in the order of their use."""
        states: dict[Value, None] = {}
        for node in all_nodes(self.graph):
            for values in node.updates():
                states.update(dict.fromkeys(v for v in values if self.graph.states.get(v.name) is v))
        states.update(dict.fromkeys(v for v in self.graph.fetches if self.graph.states.get(v.name) is v))
        return list(states)

    # -- running ------------------------------------------------------------------------------------------------

    def bind(self, scope: Scope) -> tuple:
        """The scope's variables that the plan uses, in its order."""
        known = self._bound.get(scope)
        if known is None or known[0] != scope.erased:
            self._declare(scope)
            variables = tuple(self._scope_var(scope, name) for name in self.scope_vars)
            known = self._bound[scope] = (scope.erased, variables)
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
        declared = self.block.find_var(name)
        if var.value is None and declared is not None and declared.type == VarType.SELECTED_ROWS:
            var.get_selected_rows()
        elif var.value is None:
            var.get_tensor()
        return var

    def check_dtypes(self, fed: dict[str, torch.dtype]) -> None:
        """Refuse feeds of dtypes that the operators which read them do not take; given for those not as declared."""
        for node in all_nodes(self.graph):
            for slot, allowed in node.op.dtypes.items():
                for value in node.inputs[slot]:
                    if value is None or self.graph.feeds.get(value.name) is not value:
                        continue
                    if value.name in fed and fed[value.name] not in allowed:
                        raise wrong_dtype(node.op, slot, fed[value.name]).within(node.op.type, node.operator.details())

    def run(self, feeds: list[torch.Tensor], lods: list[Any], scope: Scope) -> tuple[tuple, tuple]:
        try:
            return self.function(feeds, lods, self.bind(scope))
        except Exception as error:  # every failure is told as one of the user's program; see failure.py
            raise explain(error, self, dict(zip(self.feeds, feeds, strict=True)), scope) from None


def _is_sparse(value: Value) -> bool:
    return value.variable is not None and value.variable.type == VarType.SELECTED_ROWS


def _has_lod(value: Value) -> bool:
    var = value.variable
    return var is not None and var.type == VarType.LOD_TENSOR and var.lod_level > 0
