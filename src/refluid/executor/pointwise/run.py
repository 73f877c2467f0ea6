"""Runs: neighbouring nodes of a plan that can be written as instructions, on tensors that all have one shape."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.dtypes import VarType
from refluid.executor.graph.node import Node
from refluid.executor.graph.reads import outside_reads
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.executor.pointwise.caller import LARGEST
from refluid.executor.source import Source
from refluid.native import call as native
from refluid.ops.pointwise import Code, NoCode, Operand

FEWEST = 3  # calls, and instructions: fewer take no longer by themselves
MOST = 64  # instructions
# Operators in runs of a plan. With fewer, a step gains less than 50 us, and on a new machine the kernels would be
# compiled for it, which takes seconds.
ENOUGH = 32


class Run:
    """Nodes, their instructions and what they read from outside. It is complete after `close`."""

    def __init__(self, node: Node):
        self.shape: tuple[int, ...] = next(node.writes()).shape  # as declared; -1 for what only a run tells
        self.code = Code(len(self.shape))
        self.nodes: list[Node] = []
        self.operands: dict[Value, Operand] = {}
        self.inputs: list[Value] = []
        self.shapes: list[Value] = []
        self.ended = False

    def take(self, node: Node, graph: Graph) -> bool:
        """Add a node; False, and nothing is changed, if it does not fit."""
        if self.ended or len(self.code.instructions) >= MOST:
            return False
        shape, known = self.shape, self.operands
        for value in node.reads():
            merged = shape if value in known else _common_shape(shape, value)
            if merged is None:
                return False
            shape = merged
        operands, count = dict(known), len(self.code.instructions)
        try:
            results = self._write(node)
        except NoCode:
            self.operands = operands
            del self.code.instructions[count:]
            return False
        joins = any(result is not None and result.parts for result in results)
        fits = all(_is_needed(graph, value) for value in node.writes()) if joins else self._fit(node, shape)
        if not fits:
            self.operands = operands
            del self.code.instructions[count:]
            return False
        for values, result in zip(node.outputs, results, strict=True):
            if values and values[0] is not None:
                assert result is not None
                self.operands[values[0]] = result
        self.nodes.append(node)
        self.shape, self.ended = shape, joins
        return True

    def _write(self, node: Node) -> tuple[Operand | None, ...]:
        """The instructions of a node are appended to the others; what its outputs are."""
        op, args = node.op, []
        for param in op.params:
            operands = [None if value is None else self._operand(value) for value in node.inputs[param.slot]]
            args.append(operands if op.inputs[param.slot].duplicable else operands[0] if operands else None)
        attrs: dict[str, Any] = dict(node.attrs)
        if "needs" in op.engine:
            attrs["needs"] = tuple(any(value is not None for value in values) for values in node.outputs)
        assert op.rules.pointwise is not None
        results = op.rules.pointwise(self.code, *args, **attrs)
        return (results,) if op.single else results

    def _operand(self, value: Value) -> Operand:
        return self.operands.setdefault(value, Operand())

    @staticmethod
    def _fit(node: Node, shape: tuple[int, ...]) -> bool:
        return all(_common_shape(shape, value) is not None for value in node.writes())

    def close(self) -> bool:
        """Whether it is worth a call."""
        if len(self.nodes) < FEWEST or len(self.code.instructions) < FEWEST:
            return False
        self.inputs, self.shapes = outside_reads(self.nodes)
        return not any(value.may_be_none for value in (*self.inputs, *self.shapes))


def find_runs(graph: Graph, source: Source) -> None:
    """Tell the source of the runs of a plan, unless they are few or the C++ code is not there."""
    runs: list[Run] = []
    run: Run | None = None
    for node in graph.nodes:
        if not _is_pointwise(node):
            run = None
            continue
        if run is None or not run.take(node, graph):
            run = Run(node)
            if run.take(node, graph):
                runs.append(run)
            else:
                run = None
    runs = [run for run in runs if run.close()]
    if sum(len(run.nodes) for run in runs) >= ENOUGH and native.available():
        source.runs.update((run.nodes[0], run) for run in runs)


def plans_runs(device: torch.device, lod_feeds: frozenset[str], source: Source) -> bool:
    return device.type == "cpu" and not lod_feeds and not source.check_nan


def _is_pointwise(node: Node) -> bool:
    op = node.op
    return (
        op.rules.pointwise is not None
        and (node.kernel is None or node.kernel is op.rules.over)
        and node.body is None
        and not node.grouped
        and not any(value.persistable or value.base is not None for value in node.writes())
    )


def _common_shape(shape: tuple[int, ...], value: Value) -> tuple[int, ...] | None:
    """Both shapes in one, if they can be the same and small; None for what is no tensor of float32."""
    variable = value.variable
    if variable is None or variable.type != VarType.LOD_TENSOR or variable.dtype != VarType.FP32:
        return None
    other = value.shape
    if not other or len(other) != len(shape):
        return None
    if other != shape:
        if not all(m == n or -1 in (m, n) for m, n in zip(shape, other, strict=True)):
            return None
        shape = tuple(map(max, shape, other))
    size = 1
    for n in shape:
        size *= max(n, 1)
    return shape if size <= LARGEST else None


def _is_needed(graph: Graph, value: Value) -> bool:
    """Whether something reads it, and not its shape alone."""
    return value in graph.fetches or any(value in reader.value_reads() for reader in value.readers)
