"""while and its gradient: a body that runs repeatedly; see Note [Loops and their gradients].

The gradient carries the gradients of what the loop carries. Its other results are summed over the iterations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.autodiff.blocks import close_block, contributed, discard_block, open_block, path_to, slots_of
from refluid.autodiff.grad_op import GradOp
from refluid.executor import runtime
from refluid.executor.blocks import definitions
from refluid.executor.blocks.carried import begin, behind, body_of, captures, emit_body, emit_with_lods, end
from refluid.executor.blocks.iterations import emit_iterations, push_iteration
from refluid.executor.blocks.replaying import Replaying
from refluid.executor.blocks.zeros import ZerosLike, zeros_text
from refluid.executor.codegen import emits
from refluid.executor.graph.bodies import carried_outside, leave_body, new_body, outside_names
from refluid.executor.graph.build import Builder, builds, pad
from refluid.executor.graph.names import Names
from refluid.executor.graph.node import Node
from refluid.executor.graph.value import Value, Values
from refluid.executor.source import Source
from refluid.ir.operator import EMPTY, Operator
from refluid.ops.array.array import write_to_array
from refluid.ops.registry import OpDef
from refluid.ops.signature import GRAD_SUFFIX

if TYPE_CHECKING:
    from refluid.autodiff.backward import Walk


@builds(definitions.while_loop)
def _build_while(builder: Builder, names: Names, operator: Operator, op: OpDef) -> Node:
    condition = names.read(operator.input("Condition")[0])
    _, inner = new_body(names, operator, loop=True)
    carried = carried_outside(names, inner)
    builder.block(inner)
    iterations = [Value(name, names.declared(name)) for name in operator.output("StepScopes")[:1]]
    node = Node(op, operator, [[], [condition]], [[], [*iterations]], op.kernel_attrs(operator.attrs))
    leave_body(names, inner, node, carried)
    for value in iterations:
        names.write(value.name, value)
        builder.forwards[value.name] = node, inner
    return node


@builds(definitions.while_grad)
def _build_gradient(builder: Builder, names: Names, operator: Operator, op: OpDef) -> Node:
    scopes = operator.input("StepScopes")[0]
    forward = builder.forwards.get(scopes)
    assert forward is not None, "while_grad stands in a plan without its while"
    body, inner = new_body(names, operator, forward, loop=True)
    iterations = names.read(scopes, True)
    owners = operator.input("X")
    wanted = [None if name == EMPTY else name for name in pad(operator.output("X@GRAD"), len(owners))]
    is_array = operator.block.is_array
    incoming = [name for name in operator.input("Out@GRAD") if name != EMPTY]
    written = dict(zip(operator.attrs["original_output_grad"], incoming, strict=True))
    for owner, name in zip(owners, wanted, strict=True):
        if name and is_array(owner):  # the gradient of an array is accumulated in place
            written.setdefault(owner + GRAD_SUFFIX, name)
    inside = {o + GRAD_SUFFIX for o, name in zip(owners, wanted, strict=True) if name}
    others = {name: name for name in outside_names(inner.block) if name not in inside and name not in written}
    carried = carried_outside(names, inner, {**written, **others})
    params = dict(inner.values)
    builder.block(inner)
    for name in operator.attrs["original_output_grad"]:
        if inner.values[name] is params[name] and name.removesuffix(GRAD_SUFFIX) in _replaced(forward[0]):
            zeros = params[name].next()  # the iteration overwrote the variable without reading it
            body.append(Node(ZerosLike, operator, [[params[name]]], [[zeros]], {}))
            inner.write(name, zeros)
    shapes: Values = []
    outputs: Values = []
    for owner, name in zip(owners, wanted, strict=True):
        if name is None or (is_array(owner) and written.get(owner + GRAD_SUFFIX) == name):
            continue
        carries = owner + GRAD_SUFFIX in params
        shapes.append(None if carries else names.read(owner))
        outputs.append(Value(name, names.declared(name)))
        body.results.append(params[owner + GRAD_SUFFIX] if carries else inner.values.get(owner + GRAD_SUFFIX))
    node = Node(op, operator, [shapes, [], [], [iterations]], [outputs], op.kernel_attrs(operator.attrs))
    leave_body(names, inner, node, carried)
    for value in outputs:
        assert value is not None
        names.write(value.name, value)
    _rewind(names, node, forward[0])
    return node


def _replaced(forward: Node) -> set[str]:
    """Variables that the loop's block itself (no block inside it) writes in every iteration."""
    own = (node for node in body_of(forward).nodes if node.body is None and node.op is not write_to_array)
    return {value.name for node in own for value in node.writes()}


def _rewind(names: Names, node: Node, forward: Node) -> None:
    """What gradients of operators before the loop read are the values before it."""
    saved = body_of(node).saved_params
    for param, initial, final in zip(body_of(forward).carried, forward.inputs[-1], forward.outputs[-1], strict=True):
        assert final is not None
        if param in saved and initial is not None and names.values.get(final.name) is final:
            names.before_rewinding.setdefault(final.name, final)
            names.values[final.name] = names.of(initial)


# -- as `while` and `for` -----------------------------------------------------------------------------------------


@emits(definitions.while_loop)
def _emit_while(source: Source, node: Node, indent: int) -> None:
    body = body_of(node)
    iterations = node.outputs[1][0] if node.outputs[1] else None
    locals_ = begin(source, node, indent)
    if iterations is not None:
        source.line(f"{source.define(iterations, captures(node))} = []", node, indent)
    (condition,) = node.inputs[1]
    tested = next(
        (local for local, initial in zip(locals_, node.inputs[-1], strict=True) if initial is condition),
        source.local(condition) if condition else "",
    )

    def write() -> None:
        source.line(f"while {tested}.item():", node, indent)
        start = len(source.lines)
        emit_body(source, node, indent + 1)
        if iterations is not None:
            push_iteration(source, node, source.local(iterations), indent + 1)
        end(source, node, locals_, indent + 1)
        if len(source.lines) == start:
            source.line("pass", node, indent + 1)

    outputs = [value for value in node.outputs[-1] if value is not None]
    known = dict(source.lods)
    emit_with_lods(source, node, indent, body.carried_results, outputs, write)
    source.lods = known | {value: source.lods[value] for value in outputs if value in source.lods}
    behind(source, node, locals_)


@emits(definitions.while_grad)
def _emit_gradient(source: Source, node: Node, indent: int) -> None:
    body = body_of(node)
    (iterations,) = node.inputs[3]
    assert iterations is not None
    results = [value for value in node.outputs[0] if value is not None]
    targets: dict[Value, str] = {}
    locals_ = begin(source, node, indent)
    totals: dict[Value, str] = {}
    for result, inner in zip(results, body.results, strict=True):
        if inner not in body.carried:
            totals[result] = source.unique(f"{source.ident(result.name)}_total")
            source.line(f"{totals[result]} = None", node, indent)
    lods = dict(source.lods)
    emit_iterations(source, node, source.local(iterations), indent)
    start = len(source.lines)
    emit_body(source, node, indent + 1)
    add = source.constant(runtime.accumulate, "accumulate")
    for result, inner in zip(results, body.results, strict=True):
        if result in totals and inner is not None:
            source.line(f"{totals[result]} = {add}({totals[result]}, {source.local(inner)})", node, indent + 1)
    end(source, node, locals_, indent + 1)
    if len(source.lines) == start:
        source.line("pass", node, indent + 1)
    source.lods = lods
    behind(source, node, locals_)
    carried = dict(zip(body.carried, locals_, strict=True))
    for result, inner, owner in zip(results, body.results, node.inputs[0], strict=True):
        targets[result] = source.define(result)
        if result not in totals:
            assert inner is not None
            if carried[inner] != targets[result]:
                source.line(f"{targets[result]} = {carried[inner]}", node, indent)
            continue
        total = totals[result]
        if result not in body.optional:
            assert owner is not None
            total = f"{zeros_text(source, owner)} if {total} is None else {total}"
        source.line(f"{targets[result]} = {total}", node, indent)
        if owner in source.lods:  # a gradient has the LoD of its variable
            source.lods[result] = source.lods[owner]


# -- its gradient in a program ------------------------------------------------------------------------------------


@definitions.while_loop.gradient_block
def _gradient_operator(walk: Walk, op: Operator, available: set[str]) -> GradOp | None:
    """An iteration receives the gradients that it passes on to the one before it: the set grows to a fixed point."""
    outs = {name for name in op.output("Out") if name in available}
    for name in outs:
        walk.settle(name)
    while True:
        block = open_block(walk, op)
        inner = walk.inside(block)
        inner.found = {name: [(None, name + GRAD_SUFFIX)] for name in outs}
        inner.inherited = {name + GRAD_SUFFIX for name in outs}
        for name in outs:  # blocks inside the loop must find them here, and not declare their own
            if block.find_var(name + GRAD_SUFFIX) is None:
                inner.declare(name + GRAD_SUFFIX, block._var_recursive(name))
        inner.back(path_to(op, outs))
        close_block(walk, block)
        more = {name for name in op.output("Out") if name in inner.found and name not in outs}
        if not more:
            break
        outs |= more
        discard_block(walk, block)
    passed_on = [name if contributed(inner, name, outs, carried=True) else None for name in op.input("X")]
    if not any(passed_on):
        discard_block(walk, block)
        return None
    order = [name for name in op.output("Out") if name in outs]
    return GradOp(
        definitions.while_grad.type,
        slots_of(op, "X Out StepScopes"),
        {"Out@GRAD": order},
        {"X@GRAD": passed_on},
        {
            "sub_block": block,
            "is_test": False,
            "original_output_grad": [name + GRAD_SUFFIX for name in order],
            "skip_eager_deletion_vars": [],
        },
        op.site,
        overwritten=frozenset(name for name in passed_on if name in outs),
    )


# -- on the tape --------------------------------------------------------------------------------------------------


@definitions.while_loop.replay
def _replay(replay: Replaying, operator: Operator) -> None:
    (test,) = operator.input("Condition")
    while replay.values[test]._t.item():
        replay.run(operator)
