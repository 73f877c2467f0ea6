"""Builds the graph of a block: names of variables become values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from refluid.core.dtypes import TORCH
from refluid.core.errors import ArgumentError, NotFoundError
from refluid.executor.graph.in_backward import definition_of
from refluid.executor.graph.late_readers import copy_for_late_readers
from refluid.executor.graph.names import GradientNames, Names
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value, Values
from refluid.executor.onednn import fused_parts
from refluid.ir.block import Block
from refluid.ir.operator import EMPTY, Operator
from refluid.ir.roles import OpRole, has_role
from refluid.ops.checks import checking
from refluid.ops.registry import OpDef
from refluid.ops.shape.assign import assign
from refluid.ops.signature import GRAD_SUFFIX

# Builders of operators that are more than a kernel call: (builder, names, operator, definition) -> node.
Special = Callable[["Builder", Names, Operator, OpDef], Node]
SPECIAL: dict[str, Special] = {}


def builds(op: OpDef) -> Callable[[Special], Special]:
    """Decorator: how the node of an operator that carries a block, or knows names, is made."""

    def register(build: Special) -> Special:
        SPECIAL[op.type] = build
        return build

    return register


def graph_of(block: Block, feeds: Iterable[str], fetches: Iterable[str]) -> Graph:
    """The block's operators as nodes, without those whose work the executor does."""
    graph = Graph(block)
    names = Names(graph, block, graph)
    for name in feeds:
        names.values[name] = graph.feeds[name] = Value(name, block.find_var(name))
        graph.feeds[name].region = graph
    Builder(graph).block(names)
    graph.fetches = [names.before_rewinding.get(name) or names.read(name) for name in fetches]
    copy_for_late_readers(graph)
    return graph


def done_by_executor(operator: Operator) -> bool:
    """Whether the executor itself does the work: of feeds, fetches and readers."""
    return operator.definition is not None and bool(operator.definition.by_executor)


class Builder:
    """Builds blocks; `forwards` are the nodes with bodies so far, and what names mean at the end of those."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.forwards: dict[str, tuple[Node, Names]] = {}  # by the variable that Fluid keeps their scopes in

    def block(self, names: Names) -> None:
        for operator in names.block.ops:
            if not done_by_executor(operator):
                names.operators.append(self.operator(names, operator))

    def operator(self, names: Names, operator: Operator) -> Node:
        op = definition_of(operator)
        if op is None:
            raise NotFoundError(f"operator {operator.type!r} does not exist", operator.details())
        missing = operator.missing_input() if op.forward is None else None
        if missing is not None:
            raise ArgumentError(f"{op.type}: input {missing} is missing", operator.details())
        if isinstance(names, GradientNames):
            names.operator, names.definition = operator, op
        special = SPECIAL.get(op.type)
        if special is not None:
            return special(self, names, operator, op)
        node = self.call(names, operator, op)
        if op.convolution is not None and operator.attrs.get("use_mkldnn"):
            return _with_fused(names, node)
        return node

    def call(self, names: Names, operator: Operator, op: OpDef) -> Node:
        """The node of a plain operator."""
        inputs = self.inputs(names, operator, op)
        for out, source in op.inplace.items():
            if not inputs[source]:  # an array, which programs name as the output alone
                inputs[source] = [names.read(name) for name in operator.outputs.get(op.outputs[out].name, ())]
        if op.inplace and not op.has_gradient:
            _copy_kept_input(names, operator, op, inputs)
        owners = None if op.forward is None else _owners(names, operator, op)
        outputs = self.outputs(names, operator, op, inputs)
        node = Node(op, operator, inputs, outputs, op.kernel_attrs(operator.attrs))
        node.owners = owners
        names.region.append(node)
        # The dtypes of a backward pass are those of the forward pass.
        if op.dtypes and not has_role(operator.attrs, OpRole.Backward) and not _fits(op, operator):
            node.kernel, node.label = checking(op), op.type
        return node

    def inputs(self, names: Names, operator: Operator, op: OpDef) -> list[Values]:
        read, names_by_slot = names.read, operator.inputs
        if isinstance(names, GradientNames):
            # Which value of a variable is meant: see Note [Which value a gradient means].
            of = op.forward.output_index if op.forward is not None and "sub_block" not in operator.attrs else {}
            return [
                [None if name == EMPTY else read(name, slot.name in of) for name in names_by_slot.get(slot.name, ())]
                for slot in op.inputs
            ]
        return [
            [None if name == EMPTY else read(name) for name in names_by_slot.get(slot.name, ())] for slot in op.inputs
        ]  # fmt: skip

    def outputs(self, names: Names, operator: Operator, op: OpDef, inputs: list[Values]) -> list[Values]:
        outputs: list[Values] = []
        for place, slot in enumerate(op.outputs):
            slot_values: Values = []
            out_names: Iterable[str] = operator.outputs.get(slot.name, ())
            if place in op.hidden and place in op.inplace:  # an array, which programs name as the input alone
                out_names = [value.name for value in inputs[op.inplace[place]] if value is not None]
            for name in out_names:
                if name == EMPTY:
                    slot_values.append(None)
                    continue
                value = Value(name, names.declared(name))
                if place in op.inplace:
                    value.base = next((one for one in inputs[op.inplace[place]] if one and one.name == name), None)
                names.write(name, value)
                slot_values.append(value)
            outputs.append(slot_values)
        return outputs


def _owners(names: Names, operator: Operator, op: OpDef) -> list[Values]:
    """Per output slot of a gradient, the values that it gives gradients of."""
    given = operator.inputs
    return [
        [names.peek(name) for name in given.get(slot.name.removesuffix(GRAD_SUFFIX), ())] for slot in op.outputs
    ]  # fmt: skip


def _copy_kept_input(names: Names, operator: Operator, op: OpDef, inputs: list[Values]) -> None:
    """An update whose result has another name than its input gets a copy to overwrite; the input is kept.

    A hand-written `sgd` from `w` to `w_next` is an example. A program of 1.5 has no outputs for adam's powers of betas;
    operators of their own move them on.
    """
    for out, source in op.inplace.items():
        source_value = inputs[source][0] if inputs[source] else None
        results = operator.outputs.get(op.outputs[out].name, ())
        if source_value is None or out in op.hidden or list(results[:1]) == [source_value.name]:
            continue
        name = results[0] if results and results[0] != EMPTY else source_value.name + "@COPY"
        copied = Value(name, names.declared(name))
        names.region.append(Node(assign, operator, [[source_value]], [[copied]], {}))
        inputs[source] = [copied]


def _fits(op: OpDef, operator: Operator) -> bool:
    """Whether the inputs are declared with dtypes that the operator takes."""
    for place, allowed in op.dtypes.items():
        for name in operator.inputs.get(op.inputs[place].name, ()):
            var = operator.block.find_var(name)
            dtype = var._dtype if var is not None else None
            if dtype in TORCH and TORCH[dtype] not in allowed:
                return False
    return True


def _with_fused(names: Names, node: Node) -> Node:
    """The node, followed by those that oneDNN fuses into it; see onednn.py."""
    result = node.output()
    for number, (op, others, attrs) in enumerate(fused_parts(node.operator)):
        assert result is not None
        between = Value(f"{result.name}@FUSED_{number}", result.variable)
        names.region.nodes[-1].give([[between], *names.region.nodes[-1].outputs[1:]])
        inputs: list[Values] = [[between]]
        inputs += [[names.read(name)] for name in others]
        names.region.append(Node(op, node.operator, inputs, [[result]], attrs))
    return node


def pad(values: list[Any], length: int) -> list[Any]:
    return [*values, *([None] * (length - len(values)))]
