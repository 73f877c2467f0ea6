"""conditional_block and its gradient: a body that runs if its condition holds.

What the body makes and its gradient reads are further results, in the slot Out. The results of the gradient's body are
the gradients in the slot Input@GRAD.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.autodiff.blocks import close_block, contributed, discard_block, open_block, path_to, slots_of
from refluid.autodiff.grad_op import GradOp
from refluid.executor.blocks import definitions
from refluid.executor.blocks.carried import begin, behind, body_of, captures, emit_body, emit_with_lods, end, let_go
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
from refluid.ops.registry import OpDef
from refluid.ops.signature import GRAD_SUFFIX, owner_of

if TYPE_CHECKING:
    from refluid.autodiff.backward import Walk


@builds(definitions.conditional_block)
@builds(definitions.conditional_block_infer)
def _build_branch(builder: Builder, names: Names, operator: Operator, op: OpDef) -> Node:
    _, inner = new_body(names, operator)
    conditions: Values = [names.read(name) for name in operator.input("Cond")]
    carried = carried_outside(names, inner)
    builder.block(inner)
    node = leave_body(
        names, inner, Node(op, operator, [conditions, []], [[], []], op.kernel_attrs(operator.attrs)), carried
    )
    for name in operator.output("Scope")[:1]:
        builder.forwards[name] = node, inner
    return node


@builds(definitions.conditional_block_grad)
def _build_gradient(builder: Builder, names: Names, operator: Operator, op: OpDef) -> Node:
    scope = operator.input("Scope")
    body, inner = new_body(names, operator, builder.forwards.get(scope[0]) if scope else None)
    conditions: Values = [names.read(name) for name in operator.input("Cond")]
    owners = operator.input("Input")
    wanted = [None if name == EMPTY else name for name in pad(operator.output("Input@GRAD"), len(owners))]
    is_array = operator.block.is_array
    inside = {o + GRAD_SUFFIX for o, name in zip(owners, wanted, strict=True) if name and not is_array(o)}
    # The gradient of an array is accumulated in place, also inside the body.
    arrays = {o + GRAD_SUFFIX: name for o, name in zip(owners, wanted, strict=True) if name and is_array(o)}
    replaced = [name for name in operator.input("Out@GRAD") if name != EMPTY and not is_array(owner_of(name))]
    replaced = [name for name in replaced if _was_there_before(operator, owner_of(name))]
    written = {name: name for name in outside_names(inner.block) if name not in inside}
    carried = carried_outside(names, inner, {**written, **{name: name for name in replaced}, **arrays})
    builder.block(inner)
    grads = {owner: inner.values.get(owner + GRAD_SUFFIX) for owner in owners}
    for name in replaced:  # the previous value did not affect what followed
        zeros = inner.read(name).next()
        body.append(Node(ZerosLike, operator, [[inner.read(name)]], [[zeros]], {}))
        inner.write(name, zeros)
    shapes: Values = []
    outputs: Values = []
    for owner, result in zip(owners, wanted, strict=True):
        if result is None or is_array(owner):
            continue
        shapes.append(names.read(owner))
        outputs.append(Value(result, names.declared(result)))
        body.results.append(grads[owner])
    node = Node(op, operator, [conditions, shapes, [], [], []], [outputs], op.kernel_attrs(operator.attrs))
    leave_body(names, inner, node, carried)
    for value in outputs:
        assert value is not None
        names.write(value.name, value)
    return node


def _was_there_before(gradient: Operator, name: str) -> bool:
    """Whether the variable had a value before the conditional_block wrote it."""
    var = gradient.block.find_var(name)
    if var is not None and (var.is_data or var.persistable):
        return True
    for op in gradient.block.ops:
        if op.definition is definitions.conditional_block and op.output("Scope") == gradient.input("Scope"):
            return False
        if name in op.output_arg_names:
            return True
    # The gradient of a block inside another: the forward operators stand in that one.
    index = gradient.block.forward_block_idx
    return index < 0 or name not in gradient.block.program.blocks[index].vars


# -- as `if` ----------------------------------------------------------------------------------------------------


@emits(definitions.conditional_block)
@emits(definitions.conditional_block_infer)
def _emit_branch(source: Source, node: Node, indent: int) -> None:
    body = body_of(node)
    locals_ = begin(source, node, indent)
    saved = dict(zip(body.saved, node.outputs[0], strict=True))
    behind(source, node, locals_)
    kept: dict[Value, str] = {}
    avoid = captures(node).union(value for value in node.outputs[-1] if value is not None)
    for value, outside in saved.items():
        assert outside is not None
        kept[value] = source.define(outside, avoid)
        source.line(f"{kept[value]} = None", node, indent)

    def write() -> None:
        source.line(f"if {_test(source, node)}:", node, indent)
        start = len(source.lines)
        let_go(source, node, locals_, kept.values())
        emit_body(source, node, indent + 1)
        end(source, node, locals_, indent + 1, [(local, value) for value, local in kept.items()])
        if len(source.lines) == start:
            source.line("pass", node, indent + 1)

    outputs = [value for value in (*node.outputs[-1], *node.outputs[0]) if value is not None]
    known = dict(source.lods)
    emit_with_lods(source, node, indent, [*body.carried_results, *body.saved], outputs, write)
    source.lods = known | {value: source.lods[value] for value in outputs if value in source.lods}
    for value, outside in saved.items():
        if outside in source.lods:
            source.lods[value] = source.lods[outside]
    behind(source, node, locals_)
    for outside, local in zip(saved.values(), kept.values(), strict=True):
        assert outside is not None
        source.put(outside, local)


@emits(definitions.conditional_block_grad)
def _emit_gradient(source: Source, node: Node, indent: int) -> None:
    body = body_of(node)
    locals_ = begin(source, node, indent)
    behind(source, node, locals_)
    owners = [owner for owner in node.inputs[1] if owner is not None]
    results = [value for value in node.outputs[0] if value is not None]
    avoid = captures(node).union(value for value in node.outputs[-1] if value is not None)
    targets = [source.define(value, avoid) for value in results]
    lods = dict(source.lods)
    source.line(f"if {_test(source, node)}:", node, indent)
    start = len(source.lines)
    let_go(source, node, locals_, targets)
    emit_body(source, node, indent + 1)
    moves = [(target, inner) for target, inner in zip(targets, body.results, strict=True) if inner is not None]
    end(source, node, locals_, indent + 1, moves)
    for owner, inner, result, target in zip(owners, body.results, results, targets, strict=True):
        if inner is None:
            _emit_nothing(source, node, owner, result, target, indent + 1)
    if len(source.lines) == start:
        source.line("pass", node, indent + 1)
    if results:
        source.line("else:", node, indent)
    for owner, result, target in zip(owners, results, targets, strict=True):
        _emit_nothing(source, node, owner, result, target, indent + 1)
    source.lods = lods  # what the body has found there may not be
    for owner, result, target in zip(owners, results, targets, strict=True):
        source.put(result, target)
        if owner in lods:  # a gradient has the LoD of its variable
            lods[result] = lods[owner]
    behind(source, node, locals_)


def _emit_nothing(source: Source, node: Node, owner: Value, result: Value, target: str, indent: int) -> None:
    """The gradient of a value that did not affect the run."""
    optional = node.body is not None and result in node.body.optional
    source.line(f"{target} = {'None' if optional else zeros_text(source, owner)}", node, indent)


def _test(source: Source, node: Node) -> str:
    conditions = [source.local(value) for value in node.inputs[0] if value]
    if node.attrs.get("is_scalar_condition"):
        return f"{conditions[0]}.item()"
    return f"all(c.numel() for c in [{', '.join(conditions)}])"


# -- its gradient in a program ------------------------------------------------------------------------------------


@definitions.conditional_block.gradient_block
def _gradient_operator(walk: Walk, op: Operator, available: set[str]) -> GradOp | None:
    outs = [name for name in op.output("Out") if name in available]
    for name in outs:
        walk.settle(name)
        walk.found[name] = [(None, walk.found[name][0][1])]  # the block reads it under this name: it must keep it
    block = open_block(walk, op)
    inner = walk.inside(block)
    inner.found = {name: [(None, walk.found[name][0][1])] for name in outs}
    inner.inherited = {walk.found[name][0][1] for name in outs}
    inner.back(path_to(op, set(outs)))
    close_block(walk, block)
    passed_on = [name if contributed(inner, name, outs) else None for name in op.input("Input")]
    if not any(passed_on) and not any(inner.block.is_array(name) for name in outs):  # arrays are changed in place
        discard_block(walk, block)
        return None
    return GradOp(
        definitions.conditional_block_grad.type,
        slots_of(op, "Cond Input Out Scope"),
        {"Out@GRAD": outs},
        {"Input@GRAD": passed_on},
        {"sub_block": block, "is_scalar_condition": op.attrs["is_scalar_condition"]},
        op.site,
    )


# -- on the tape --------------------------------------------------------------------------------------------------


@definitions.conditional_block.replay
def _replay(replay: Replaying, operator: Operator) -> None:
    tests = [replay.values[name]._t for name in operator.input("Cond")]
    scalar = operator.attrs.get("is_scalar_condition")
    if tests[0].item() if scalar else all(test.numel() for test in tests):
        replay.run(operator)
