"""A plan in two parts: `run` computes the outputs and returns, besides them, the function that computes gradients.

The operators of the backward pass stand in the same program, behind the operator `backward_begins`, and are written
into a function of their own. What they read of the forward pass is kept in a list; nothing else is. When nobody will
ask for the gradients again (`last`), the list is emptied, and so every value is freed after its last use.

    def run(feeds, lods, scope):
        x = feeds[0]
        y = tanh(x)
        def back(grads, kept, last):
            y, = kept
            if last: kept.clear()
            y_grad = grads[0]
            x_grad = tanh_grad(y, y_grad)
            del y
            return (x_grad,)
        return (y,), (None,), back, [y]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from refluid.autodiff.backward import gradients
from refluid.executor import runtime
from refluid.executor.blocks.optional import allow_none
from refluid.executor.codegen import emit, emits
from refluid.executor.graph.build import Builder, builds
from refluid.executor.graph.names import Names
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import all_nodes
from refluid.executor.graph.value import Value, Values, present
from refluid.executor.plan import Plan
from refluid.executor.source import Source
from refluid.ir.clone import clone
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ops.infer import Spec
from refluid.ops.registry import OpDef, Tensor, op
from refluid.ops.signature import GRAD_SUFFIX


@op("Out", duplicable="Out", side_effect=True, nograd="*", lod=None)
def backward_begins(*, count: int) -> list[Tensor]:
    """Out are the gradients of the outputs, which come from outside."""
    raise NotImplementedError("backward_begins stands between the two parts of a program and is not run")


@backward_begins.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [[None] * attrs["count"]]


@builds(backward_begins)
def _build(builder: Builder, names: Names, operator: Operator, op: OpDef) -> Node:
    names.graph.boundary = builder.call(names, operator, op)
    return names.graph.boundary


@emits(backward_begins)
def _emit(source: Source, node: Node, indent: int) -> None:
    for i, value in enumerate(_seeds(node)):
        if value is not None:
            source.line(f"{source.define(value)} = grads[{i}]", node, indent)


def _seeds(boundary: Node) -> Values:
    """The gradients of the targets, in their order; None for those that nothing reads."""
    return boundary.outputs[0] or [None] * boundary.attrs["count"]


class SplitPlan(Plan):
    """`function(feeds, lods, scope)` gives the outputs, their LoDs, `back` and what that reads.

    `back(grads, kept, last)` gives `wanted`; those of `grads` that are `optional` may be None.
    """

    optional: list[bool]

    def __init__(
        self,
        program: Program,
        feeds: tuple[str, ...],
        lod_feeds: frozenset[str],
        outputs: tuple[str, ...],
        wanted: tuple[str | None, ...],
        device: torch.device,
    ):
        self.outputs, self.wanted = outputs, wanted
        super().__init__(program, feeds, lod_feeds, (*outputs, *[name for name in wanted if name]), device)

    def _write(self, source: Source, lod_feeds: frozenset[str]) -> None:
        graph, boundary = self.graph, self.graph.boundary
        assert boundary is not None
        seeds = _seeds(boundary)
        dynamic = any(node.body is not None for node in graph.nodes) and not source.check_nan
        optional = allow_none(graph, [*boundary.writes()] if len(seeds) > 1 else ()) if dynamic else set()
        self.optional = [dynamic and len(seeds) > 1 and seed in {None, *optional} for seed in seeds]

        boundary_index = graph.nodes.index(boundary)
        half = graph.nodes[boundary_index:]
        outputs, gradients = graph.fetches[: len(self.outputs)], graph.fetches[len(self.outputs) :]
        values, shapes = _free(half, gradients)
        source.line("def run(feeds, lods, scope):", None, 0)
        self._write_inputs(source, lod_feeds)
        emit(source, graph, {*outputs, *values, *graph.derived}, nodes=graph.nodes[:boundary_index], shapes=shapes)
        results = "".join(f"{source.local(value)}, " for value in outputs).rstrip()
        lods = "".join(f"{source.lods.get(value, 'None')}, " for value in outputs).rstrip()
        kept = _kept(source, half, values, shapes)
        source.line("def back(grads, kept, last):", boundary)
        if kept:
            source.line(f"{', '.join(kept)}, = kept", boundary, 2)
            source.line("if last: kept.clear()", boundary, 2)
        source.runs_again = True
        emit(source, graph, gradients, 2, nodes=half)
        grad_values = iter(gradients)
        grads = ", ".join("None" if name is None else source.local(next(grad_values)) for name in self.wanted)
        source.line(f"return ({grads},)", None, 2)
        source.line(f"return ({results}), ({lods}), back, [{', '.join(kept)}]")


def _free(nodes: list[Node], results: list[Value]) -> tuple[dict[Value, None], dict[Value, None]]:
    """What nodes read that others have made: by value, and by shape alone."""
    written = {value for node in nodes for value in node.writes()}
    values = dict.fromkeys(value for node in nodes for value in node.value_reads() if value not in written)
    values.update(dict.fromkeys(value for value in results if value not in written))
    shapes = dict.fromkeys(value for node in nodes for value in node.shape_reads() if value not in written)
    values.update(dict.fromkeys(value for value in shapes if value.may_be_none))  # which has no shape
    return values, {value: None for value in shapes if value not in values}


def _kept(source: Source, nodes: list[Node], values: dict[Value, None], shapes: dict[Value, None]) -> list[str]:
    """The locals of `run` that hold what the nodes read, LoDs included."""
    ragged = [value for node in _with_bodies(nodes) for value in (*node.reads(), *present(node.owners or []))]
    found = [source.local(value) for value in values]
    found += [source.shapes.get(value) or source.local(value) for value in shapes]
    found += [source.lods[value] for value in ragged if value in source.lods]
    return list(dict.fromkeys(found))


def _with_bodies(nodes: list[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        if node.body is not None:
            yield from all_nodes(node.body)


def split(
    program: Program, feeds: tuple[str, ...], lod_feeds: frozenset[str], outputs: tuple[str, ...],
    targets: tuple[str, ...], inputs: tuple[str, ...], device: torch.device,
) -> SplitPlan:  # fmt: skip
    """The plan of a copy of `program` with the gradients of `targets` (among the outputs) by `inputs` appended."""
    copied = clone(program)
    copied.random = program.random
    block = copied.global_block()
    for name in inputs:
        block.vars[name].stop_gradient = False
    seeds = []
    for name in targets:
        like = block.vars[name]
        seeds.append(
            block.create_var(
                name=f"{name}{GRAD_SUFFIX}@SEED", shape=like.shape, dtype=like._dtype, lod_level=like.lod_level
            )
        )
    block.append_op("backward_begins", outputs={"Out": seeds}, attrs={"count": len(seeds)})
    for seed, name in zip(seeds, targets, strict=True):
        seed.adopt(Spec(block.vars[name].shape, block.vars[name].spec().dtype))
    grads = gradients([block.vars[name] for name in targets], [block.vars[name] for name in inputs], seeds)
    wanted = tuple(None if grad is None else grad.name for grad in grads)
    return SplitPlan(copied, feeds, lod_feeds, outputs, wanted, device)


def draws_on(plan: Plan) -> None:
    """Random operators go on from run to run, as they do in the imperative mode, whatever the program's seed."""
    for value in plan.source.globals.values():
        if isinstance(value, runtime.Generator):
            value.kind = "stream"
