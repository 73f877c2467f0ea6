"""select_output: the chosen output is assigned, the others keep what they hold."""

from __future__ import annotations

from refluid.executor.codegen import emits
from refluid.executor.graph.build import Builder, builds
from refluid.executor.graph.names import Names
from refluid.executor.graph.node import Node
from refluid.executor.graph.value import Value, Values
from refluid.executor.source import Source
from refluid.ir.operator import EMPTY, Operator
from refluid.ops.array.select import position_in, select_output
from refluid.ops.registry import OpDef


@builds(select_output)
def _build(builder: Builder, names: Names, operator: Operator, op: OpDef) -> Node:
    """Behind its slots, the node reads what the outputs were before."""
    x, mask = (names.read(operator.input(slot)[0]) for slot in ("X", "Mask"))
    out_names = operator.output("Out")
    before: Values = [None if name == EMPTY else names.known(name) for name in out_names]
    after: Values = [None if name == EMPTY else Value(name, names.declared(name)) for name in out_names]
    for value in after:
        if value is not None:
            names.write(value.name, value)
    node = Node(op, operator, [[x], [mask], before], [after], op.kernel_attrs(operator.attrs))
    return names.region.append(node)


@emits(select_output)
def _emit(source: Source, node: Node, indent: int) -> None:
    (x,), (mask,), before = node.inputs
    outputs = [(i, value, old) for i, (value, old) in enumerate(zip(node.outputs[0], before, strict=True)) if value]
    assert x is not None and mask is not None
    x_and_mask = source.local(x), source.local(mask)
    for _, value, old in outputs:
        there = old is not None and source.held.get(source.local(old)) is old and not source.needs(old)
        if old is not None and there:
            source.put(value, source.local(old))
        else:
            local = source.define(value, (x, mask, *(one for one in before if one)))
            source.line(f"{local} = {source.local(old) if old else None}", node, indent)
    number = source.unique("chosen")
    position = source.constant(position_in, "position_in")
    source.line(f"{number} = {position}({x_and_mask[1]}, {len(before)})", node, indent)
    for place, value, old in outputs:
        _emit_assignment(source, node, indent, f"{number} == {place}", value, old, x_and_mask[0], source.lods.get(x))
    source.line(f"del {number}", None, indent)


def _emit_assignment(
    source: Source, node: Node, indent: int, test: str, value: Value, old: Value | None, x: str, lod: str | None
) -> None:
    local = source.local(value)
    told = source.lods.get(old) if old is not None else None
    if lod or told:
        source.lods[value] = source.unique(f"{source.ident(value.name)}_lod")
        source.line(f"{source.lods[value]} = {told}", node, indent)
    source.line(f"if {test}:", node, indent)
    if value.persistable:
        lod_argument = f", {lod}" if lod else ""
        source.line(f"{local} = put({source.scope_var(value.name)}, {x}, False{lod_argument})", node, indent + 1)
    else:
        source.line(f"{local} = {x}", node, indent + 1)
    if lod or told:
        source.line(f"{source.lods[value]} = {lod}", node, indent + 1)
