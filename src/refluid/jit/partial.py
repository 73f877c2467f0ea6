"""A program as one call of the imperative mode: one node of the graph, whose gradient is a part of the plan."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from refluid.core import dtypes, random
from refluid.eager.base import tape
from refluid.eager.graph import Node, Out, next_order, source_of
from refluid.eager.variable import VarBase
from refluid.executor.failure import explain
from refluid.executor.plan import Plan
from refluid.executor.runtime import Generator
from refluid.ir.program import Program
from refluid.ir.prune import needed_ops
from refluid.ir.variable import Variable
from refluid.jit.held import scope_of
from refluid.jit.replay import Replay
from refluid.jit.split import SplitPlan, draws_on, split
from refluid.ops.registry import find


class Partial:
    """A recorded program, the imperative variables it is bound to, and the plans that run it.

    Args:
        feeds: names of the inputs.
        fetches: names of the outputs.
        bound: imperative variables that the program reads and writes, by name.
    """

    def __init__(
        self, program: Program, feeds: tuple[str, ...], fetches: tuple[str, ...], bound: dict[str, VarBase], name: str
    ):
        self.program, self.feeds, self.fetches, self.bound, self.name = program, feeds, fetches, bound, name
        self.held = list(bound.values())
        self.scope = scope_of(bound)
        self.runs: dict[Any, _Run] = {}

    def __call__(self, inputs: list[VarBase]) -> list[VarBase]:
        """Run the program; the outputs are variables of the graph if gradients are remembered and one is asked for."""
        key: tuple[bool, ...] | None = None
        here = tape()
        with_lod = here.lods and any(var._lod is not None for var in inputs)
        if here.recording:
            key = tuple([var.stop_gradient for var in inputs] + [var.stop_gradient for var in self.held])
        lods = tuple(var._lod is not None for var in inputs) if with_lod else None
        run = self.runs.get((key, lods, here.device))
        if run is None:
            run = self.runs[key, lods, here.device] = self._make(key, lods)
        return run(inputs)

    def _make(self, key: tuple[bool, ...] | None, lods: tuple[bool, ...] | None) -> _Run:
        lod_feeds = frozenset(n for n, has in zip(self.feeds, lods, strict=True) if has) if lods else frozenset()
        block = self.program.global_block()
        names = [*self.feeds, *self.bound]
        asked = [
            name for name, stopped in zip(names, key or (), strict=False)
            if not stopped and dtypes.is_floating(block.vars[name].dtype)
        ]  # fmt: skip
        # Nothing asks for gradients: every floating input gets them; see Note [Gradients nobody asked for].
        nobody = key is not None and not asked
        if nobody:
            asked = [name for name in self.feeds if dtypes.is_floating(block.vars[name].dtype)]
        live = _reached(self.program, asked)
        targets = tuple(dict.fromkeys(name for name in self.fetches if name in live))
        if key is None or not targets:
            plan = Plan(self.program, self.feeds, lod_feeds, self.fetches, tape().device)
            draws_on(plan)
            return _Run(self, plan)
        plan = split(self.program, self.feeds, lod_feeds, self.fetches, targets, tuple(asked), tape().device)
        draws_on(plan)
        return _TrainingRun(self, plan, targets, asked, nobody)


class _Run:
    """The forward pass alone."""

    def __init__(self, partial: Partial, plan: Plan):
        self.partial, self.plan = partial, plan
        self.function = plan.function
        self.variables = plan.bind(partial.scope)

    def __call__(self, inputs: list[VarBase]) -> list[VarBase]:
        results = self._call(inputs)
        return self._wrapped(results[0], results[1])

    def _call(self, inputs: list[VarBase]) -> tuple:
        feeds = [var._t for var in inputs]
        try:
            return self.function(feeds, [var._lod for var in inputs], self.variables)
        except Exception as error:  # told as a failure of the user's operator; see executor/failure.py
            named = dict(zip(self.plan.feeds, feeds, strict=True))
            raise explain(error, self.plan, named, self.partial.scope) from None

    def _wrapped(self, values: tuple, lods: tuple) -> list[VarBase]:
        outs = [VarBase(value) for value in values]
        for out, lod in zip(outs, lods, strict=True):
            if lod is not None:
                out._take_lod(lod)
        return outs


class _TrainingRun(_Run):
    """The forward pass, and a node of the graph for the backward one."""

    plan: SplitPlan

    def __init__(self, partial: Partial, plan: SplitPlan, targets: tuple[str, ...], asked: list[str], nobody: bool):
        super().__init__(partial, plan)
        self.recipe = _Recipe(partial.name)
        self.asked = asked
        self.nobody = nobody
        self.places = [partial.fetches.index(name) for name in targets]
        feed_index = {name: i for i, name in enumerate(partial.feeds)}
        self.asked_inputs = [feed_index[name] for name in asked if name in feed_index]
        self.asked_held = [partial.bound[name] for name in asked if name in partial.bound]
        self.others = [
            i for i, name in enumerate(partial.feeds)
            if name not in asked and not nobody and dtypes.is_floating(partial.program.global_block().vars[name].dtype)
        ]  # fmt: skip
        self.nothing = (None,) * len(self.others)
        ops = partial.program.global_block().ops
        behind = [{n for op in needed_ops(ops, {name}, set()) for n in op.input_arg_names} for name in targets]
        self.read_for = [[i for i, names in enumerate(behind) if name in names] for name in asked]
        self.draws = any(isinstance(value, Generator) for value in plan.source.globals.values())

    def __call__(self, inputs: list[VarBase]) -> list[VarBase]:
        stream = random.stream_of(self.partial.program.random).get_state() if self.draws else None
        values, lods, back, kept = self._call(inputs)
        outs = self._wrapped(values, lods)
        node = Node()
        node.recipe, node.attrs, node.order = self.recipe, {}, next_order()
        if self.nobody:
            sources = [tape().source_of_stopped(inputs[i]) for i in self.asked_inputs]
            node.stamp = tape().step
            node.depth = 1 + max((s.node.depth for s in sources if isinstance(s, Node | Out)), default=0)
        else:
            sources = [source_of(inputs[i]) for i in self.asked_inputs]
            sources += [var._grad_node or source_of(var) for var in self.asked_held]
            # Stopped inputs take part too: they are told so when backward comes by.
            sources += [source_of(inputs[i]) for i in self.others]
        node.sources = tuple(sources)
        node.outs = range(len(self.places))
        node.grads = [None] * len(self.places)
        node.vars = []
        metas = []
        for n, i in enumerate(self.places):
            out = outs[i]
            node.vars.append(out._ref())
            out._grad_node = Out(node, n)
            out.stop_gradient = self.nobody
            metas.append((out._t.shape, out._t.dtype, out._t.device))
        # The inputs and where the random stream stood are for `rerun`.
        node.saved = (back, kept, metas, self, [(var._t, var._lod) for var in inputs], stream)
        return outs


class _Recipe:
    """What the graph asks of a call's operator; see refluid.eager.recipe.Recipe."""

    wants_needs = False
    single = False
    adding: dict = {}  # never changed

    def __init__(self, name: str):
        self.op = SimpleNamespace(type=f"the program of {name}", outputs=())

    def back(self, saved: tuple, grads: list[Any], attrs: dict[str, Any], needs: object) -> tuple:
        function, kept, metas, run, _, _ = saved
        out_grads = [
            torch.zeros(meta[0], dtype=meta[1], device=meta[2]) if grad is None and not optional else grad
            for grad, meta, optional in zip(grads, metas, run.plan.optional, strict=True)
        ]
        try:
            input_grads = function(out_grads, kept, tape().freeing)
        except Exception as error:
            raise explain(error, run.plan, {}, run.partial.scope) from None
        if None in grads:  # what was read for outputs alone that nobody has used took no part
            used = [any(grads[i] is not None for i in outputs) for outputs in run.read_for]
            input_grads = tuple([grad if there else None for grad, there in zip(input_grads, used, strict=True)])
        return input_grads + run.nothing

    def rerun(self, node: Node, grads: list[Any]) -> list[Any]:
        """The gradients as variables of the graph; see refluid.eager.rerun."""
        *_, run, given, stream = node.saved
        partial = run.partial
        feeds = dict(zip(partial.feeds, given, strict=True))
        replay = Replay(partial.program, feeds, partial.bound, dict(zip(run.asked, node.sources, strict=False)), stream)
        return [*replay.gradients([partial.fetches[i] for i in run.places], grads), *run.nothing]


def _reached(program: Program, names: list[str]) -> set[str]:
    """Variables that gradients can come back from to one of `names`."""
    live = set(names)
    block = program.global_block()
    for operator in block.ops:
        definition = find(operator.type)
        passes = definition is not None and (definition.has_gradient or definition.rules.gradient_ops is not None)
        if not passes or live.isdisjoint(operator.input_arg_names):
            continue
        for name in operator.output_arg_names:
            var: Variable | None = block.vars.get(name)
            # What a loop carries may begin as a constant, which is stopped; the loop computes it all the same.
            passed_on = var is not None and (not var.stop_gradient or name in operator.carried())
            if passed_on and var is not None and dtypes.is_floating(var.dtype):
                live.add(name)
    return live
