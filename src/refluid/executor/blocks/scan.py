"""recurrent and its gradient: a body that runs once for every element of the inputs' first axis.

The parameters of the body are the elements, then the states of the iteration before; its results are the states for the
next iteration, then the outputs. In the gradient's body, the parameters are the gradients of the outputs' elements,
then of the states; its results are the gradients of the states before, of the inputs' elements, and of what the body
captures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.autodiff.blocks import close_block, contributed, discard_block, open_block, path_to, slots_of
from refluid.autodiff.grad_op import GradOp
from refluid.executor import runtime
from refluid.executor.blocks import recurrent
from refluid.executor.blocks.carried import begin, behind, body_of, captures, emit_body, end
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
from refluid.ops.registry import OpDef
from refluid.ops.shape.stack import stack, unstack
from refluid.ops.signature import GRAD_SUFFIX

if TYPE_CHECKING:
    from refluid.autodiff.backward import Walk


def _param(inner: Names, name: str) -> Value:
    """A parameter of a body under this name."""
    value = Value(name, inner.declared(name))
    value.region = inner.region
    inner.values[name] = value
    return value


@builds(recurrent.recurrent)
def _build_recurrent(builder: Builder, names: Names, operator: Operator, op: OpDef) -> Node:
    read: list[Values] = [[names.read(name) for name in operator.input(s)] for s in ("inputs", "initial_states")]
    body, inner = new_body(names, operator, loop=True)
    carried = carried_outside(names, inner)
    body.params = [_param(inner, name) for name in (*operator.input("inputs"), *operator.attrs["ex_states"])]
    builder.block(inner)
    body.results = [inner.read(name) for name in (*operator.attrs["states"], *operator.output("outputs"))]
    outputs = [Value(name, names.declared(name)) for name in operator.output("outputs")]
    iterations = [Value(name, names.declared(name)) for name in operator.output("step_scopes")[:1]]
    node = Node(op, operator, [*read, []], [[*outputs], [*iterations]], op.kernel_attrs(operator.attrs))
    leave_body(names, inner, node, carried)
    for value in (*outputs, *iterations):
        names.write(value.name, value)
    for value in iterations:
        builder.forwards[value.name] = node, inner
    return node


@builds(recurrent.recurrent_grad)
def _build_gradient(builder: Builder, names: Names, operator: Operator, op: OpDef) -> Node:
    scopes = operator.input("step_scopes")[0]
    forward = builder.forwards.get(scopes)
    assert forward is not None, "recurrent_grad stands in a plan without its recurrent"
    iterations = names.read(scopes, True)
    grads = [None if name == EMPTY else names.read(name) for name in operator.input("outputs@GRAD")]
    initial: Values = [names.read(name) for name in operator.input("initial_states")]
    body, inner = new_body(names, operator, forward, loop=True)
    states, before = operator.attrs["states"], operator.attrs["ex_states"]
    owners = {slot: operator.input(slot) for slot in ("inputs", "initial_states", "parameters")}
    inside = {name + GRAD_SUFFIX for name in (*owners["inputs"], *owners["parameters"], *before, *states)}
    inside |= {name + GRAD_SUFFIX for name in forward[0].operator.output("outputs")}
    carried = carried_outside(names, inner, {n: n for n in outside_names(inner.block) if n not in inside})
    of_outputs = forward[0].operator.output("outputs")
    elements = [name for name, grad in zip(of_outputs, grads, strict=True) if grad is not None]
    body.params = [_param(inner, name + GRAD_SUFFIX) for name in (*elements, *states)]
    builder.block(inner)
    params = set(body.params)
    for name, param in zip(before, body.params[len(elements) :], strict=True):
        grad = inner.values.get(name + GRAD_SUFFIX)
        if grad is None or grad in params:
            grad = param.next()
            body.append(Node(ZerosLike, operator, [[param]], [[grad]], {}))
        body.results.append(grad)
    outputs: list[Values] = []
    for slot, its in owners.items():
        wanted = [None if name == EMPTY else name for name in pad(operator.output(slot + GRAD_SUFFIX), len(its))]
        outputs.append([name and Value(name, names.declared(name)) for name in wanted])
        if slot != "initial_states":
            body.results += [
                inner.read(owner + GRAD_SUFFIX) for owner, name in zip(its, wanted, strict=True) if name
            ]  # fmt: skip
    node = Node(
        op, operator, [[], initial, [], [], [*grads], [iterations], []], outputs, op.kernel_attrs(operator.attrs)
    )  # fmt: skip
    leave_body(names, inner, node, carried)
    for values in outputs:
        for value in values:
            if value is not None:
                names.write(value.name, value)
    return node


# -- as `for` ---------------------------------------------------------------------------------------------------


@emits(recurrent.recurrent)
def _emit_recurrent(source: Source, node: Node, indent: int) -> None:
    body, operator = body_of(node), node.operator
    inputs, backwards = operator.input("inputs"), bool(operator.attrs["reverse"])
    iterations = node.outputs[1][0] if node.outputs[1] else None
    outputs = [value for value in node.outputs[0] if value is not None]
    input_locals = [source.local(value) for value in node.inputs[0] if value]
    first = [source.local(value) for value in node.inputs[1] if value]
    locals_ = begin(source, node, indent)
    if iterations is not None:
        source.line(f"{source.define(iterations, captures(node))} = []", node, indent)
    collected = [source.unique(f"{source.ident(value.name)}_steps") for value in outputs]
    for local in collected:
        source.line(f"{local} = []", node, indent)
    elements, states = body.params[: len(inputs)], body.params[len(inputs) :]
    for state, local in zip(states, first, strict=True):
        source.line(f"{source.put(state, source.unique(state.name))} = {local}", node, indent)
    targets = ", ".join(source.put(value, source.unique(value.name)) for value in elements)
    slices = source.constant(recurrent.elements, "elements")
    source.line(f"for {targets}, in {slices}([{', '.join(input_locals)}], {inputs!r}, {backwards}):", node, indent)
    lods = dict(source.lods)
    emit_body(source, node, indent + 1)
    for local, result in zip(collected, body.results[len(states) :], strict=True):
        source.line(f"{local}.append({_local(source, result)})", node, indent + 1)
    if iterations is not None:
        push_iteration(source, node, source.local(iterations), indent + 1)
    _emit_moves(source, node, [source.local(state) for state in states], body.results[: len(states)], indent + 1)
    end(source, node, locals_, indent + 1)
    source.line(f"del {targets}", None, indent)  # views of the inputs, which would live on with them
    source.lods = lods
    behind(source, node, locals_)
    join = source.constant(recurrent.joined, "joined")
    for value, local in zip(outputs, collected, strict=True):
        source.line(f"{source.define(value)} = {join}({local}, {backwards})", node, indent)
        source.line(f"del {local}", None, indent)


@emits(recurrent.recurrent_grad)
def _emit_gradient(source: Source, node: Node, indent: int) -> None:
    body, backwards = body_of(node), bool(node.operator.attrs["reverse"])
    (iterations,) = node.inputs[5]
    assert iterations is not None
    locals_ = begin(source, node, indent)
    split = source.constant(recurrent.separated, "separated")
    parts = []
    for grad in (value for value in node.inputs[4] if value is not None):
        parts.append(source.unique(f"{source.local(grad)}_steps"))
        source.line(f"{parts[-1]} = {split}({source.local(grad)}, {backwards})", node, indent)
    elements, states = body.params[: len(parts)], body.params[len(parts) :]
    for state, owner in zip(states, node.inputs[1], strict=True):
        assert owner is not None
        source.line(f"{source.put(state, source.unique(state.name))} = {zeros_text(source, owner)}", node, indent)
    of_inputs, _, of_captures = ([value for value in values if value] for values in node.outputs[:3])
    collected = [source.unique(f"{source.ident(value.name)}_steps") for value in of_inputs]
    totals = [source.unique(f"{source.ident(value.name)}_total") for value in of_captures]
    for local in collected:
        source.line(f"{local} = []", node, indent)
    for local in totals:
        source.line(f"{local} = None", node, indent)
    lods = dict(source.lods)
    emit_iterations(source, node, source.local(iterations), indent)
    for element, local in zip(elements, parts, strict=True):
        source.line(f"{source.put(element, source.unique(element.name))} = {local}.pop()", node, indent + 1)
    emit_body(source, node, indent + 1)
    results = body.results[len(states) :]
    for local, result in zip(collected, results[: len(collected)], strict=True):
        source.line(f"{local}.append({_local(source, result)})", node, indent + 1)
    add = source.constant(runtime.accumulate, "accumulate")
    for local, result in zip(totals, results[len(collected) :], strict=True):
        source.line(f"{local} = {add}({local}, {_local(source, result)})", node, indent + 1)
    state_locals = [source.local(state) for state in states]
    _emit_moves(source, node, state_locals, body.results[: len(states)], indent + 1)
    end(source, node, locals_, indent + 1)
    source.lods = lods
    behind(source, node, locals_)
    join = source.constant(recurrent.joined, "joined")
    for value, local in zip(of_inputs, collected, strict=True):  # the last iteration comes first
        source.line(f"{source.define(value)} = {join}({local}, {not backwards})", node, indent)
        source.line(f"del {local}", None, indent)
    for result, local in zip(node.outputs[1], state_locals, strict=False):
        if result is not None:
            source.line(f"{source.define(result)} = {local}", node, indent)
    for value, local in zip(of_captures, totals, strict=True):
        source.line(f"{source.define(value)} = {local}", node, indent)


def _local(source: Source, value: Value | None) -> str:
    assert value is not None
    return source.local(value)


def _emit_moves(source: Source, node: Node, targets: list[str], values: Values, indent: int) -> None:
    """What the next iteration finds."""
    if targets:
        of = ", ".join(_local(source, value) for value in values)
        source.line(f"{', '.join(targets)} = {of}", node, indent)


# -- its gradient in a program ------------------------------------------------------------------------------------


@recurrent.recurrent.gradient_block
def _gradient_operator(walk: Walk, op: Operator, available: set[str]) -> GradOp | None:
    outs = {name for name in op.output("outputs") if name in available} | set(op.attrs["states"])
    block = open_block(walk, op)
    inner = walk.inside(block)
    inner.found = {name: [(None, name + GRAD_SUFFIX)] for name in outs}
    inner.inherited = {name + GRAD_SUFFIX for name in outs}
    inner.back(path_to(op, outs))
    close_block(walk, block)
    passed_on: dict[str, list[str | None]] = {
        "inputs@GRAD": [name if contributed(inner, name, ()) else None for name in op.input("inputs")],
        "initial_states@GRAD": [
            name if contributed(inner, state, ()) and walk.wanted(name) else None
            for name, state in zip(op.input("initial_states"), op.attrs["ex_states"], strict=True)
        ],
        "parameters@GRAD": [name if contributed(inner, name, ()) else None for name in op.input("parameters")],
    }
    if not any(name for names in passed_on.values() for name in names):
        discard_block(walk, block)
        return None
    return GradOp(
        recurrent.recurrent_grad.type,
        {
            **slots_of(op, "inputs initial_states parameters outputs step_scopes"),
            "step_scopes@GRAD": op.output("step_scopes"),
        },
        {"outputs@GRAD": op.output("outputs")},
        {slot: names for slot, names in passed_on.items() if any(names)},
        {**{name: op.attrs[name] for name in ("has_states", "ex_states", "states", "reverse", "is_train")},
         "skip_eager_deletion_vars": [], "sub_block": block},
        op.site,
        optional=frozenset({"outputs@GRAD"}),
    )  # fmt: skip


# -- on the tape --------------------------------------------------------------------------------------------------


@recurrent.recurrent.replay
def _replay(replay: Replaying, operator: Operator) -> None:
    values, inputs, outputs = replay.values, operator.input("inputs"), operator.output("outputs")
    before, after = operator.attrs["ex_states"], operator.attrs["states"]
    sequences = [values[name] for name in inputs]
    steps = list(zip(*[unstack(sequence, axis=0, num=sequence.shape[0]) for sequence in sequences], strict=True))
    backwards = bool(operator.attrs["reverse"])
    collected: dict[str, list[Any]] = {name: [] for name in outputs}
    for name, first in zip(before, operator.input("initial_states"), strict=True):
        values[name] = values[first]
    for elements in reversed(steps) if backwards else steps:
        values.update(zip(inputs, elements, strict=True))
        replay.run(operator)
        for name, parts in collected.items():
            parts.append(values[name])
        for name, left in zip(before, after, strict=True):
            values[name] = values[left]
    values.update(zip(inputs, sequences, strict=True))
    for name, parts in collected.items():
        values[name] = stack(parts[::-1] if backwards else parts, axis=0)
