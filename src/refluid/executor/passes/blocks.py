"""Tells forward blocks what their gradients read of them, so that they keep that and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from refluid.executor.passes.dead_code import drop_dead
from refluid.executor.step import Step, all_steps
from refluid.ops.signature import GRAD_SUFFIX

END = "@END"  # a variable that a loop carries, as it is when a round ends
_SCOPE_SLOTS = {"while": "StepScopes", "conditional_block": "Scope", "recurrent": "step_scopes"}


def link_blocks(steps: list[Step], persistable: Callable[[str], bool]) -> None:
    """Fill in `saved` and `forward`; drop what nobody needs inside the blocks."""
    forwards: dict[str, Step] = {}
    gradients: list[Step] = []
    for step in all_steps(steps):
        if step.op.type in _SCOPE_SLOTS:
            forwards[step.operator.output(_SCOPE_SLOTS[step.op.type])[0]] = step
        elif step.op.forward is not None and step.op.forward.type in _SCOPE_SLOTS:
            gradients.append(step)
    for gradient in reversed(gradients):  # inner ones first: what a loop inside keeps for itself is not read outside
        assert gradient.op.forward is not None
        slot = _SCOPE_SLOTS[gradient.op.forward.type]
        forward = forwards.get(gradient.operator.input(slot)[0])
        if forward is None:
            continue
        gradient.forward = forward
        forward.gradients += 1
        gradient.body = drop_dead(gradient.body, _given(gradient) | _visible(gradient), persistable)
        _save(forward, gradient)
    for step in forwards.values():
        needed = _visible(step) | {name.removesuffix(END) for name in step.saved}
        if step.op.type == "recurrent":
            needed |= {*step.operator.output("outputs"), *step.operator.attrs["states"]}
        step.body = drop_dead(step.body, needed, persistable)
        if step.op.type in ("while", "recurrent") and step.outputs[1] and not any(g.forward is step for g in gradients):
            step.outputs[1] = []


def _given(gradient: Step) -> set[str]:
    """What the gradient's block calls the gradients that it gives."""
    operator = gradient.operator
    if gradient.op.type == "recurrent_grad":
        owners = [*operator.input("inputs"), *operator.input("parameters"), *operator.attrs["ex_states"]]
    else:
        owners = operator.input("X" if gradient.op.type == "while_grad" else "Input")
    return {owner + GRAD_SUFFIX for owner in owners}


def _visible(step: Step) -> set[str]:
    return {name for part in step.body for name in part.writes() if name not in step.local}


def _save(forward: Step, gradient: Step) -> None:
    made_inside = {name for part in all_steps(forward.body) for names in part.outputs for name in names if name}
    if forward.op.type == "recurrent":  # the loop itself sets these
        made_inside |= {*forward.operator.input("inputs"), *forward.operator.attrs["ex_states"]}
    at_top = {name for part in forward.body if not part.body for names in part.outputs for name in names if name}
    carried = {name for name in forward.writes()}
    made_by_gradient = {name for part in gradient.body for name in part.writes()}
    if forward.op.type == "while":
        _ask_for_ends(gradient.body, carried)
    values = [name for part in gradient.body for name in part.value_reads()]
    shapes = [name for part in gradient.body for name in part.shape_reads()]
    for name, kind in [*((n, "value") for n in values), *((n, "shape") for n in shapes)]:
        plain = name.removesuffix(END)
        if name in forward.saved or plain not in made_inside or name in made_by_gradient:
            continue
        if forward.op.type == "conditional_block" and plain in carried:
            continue  # it is a variable outside, and nothing is repeated
        if kind == "shape" and (plain not in at_top or name in carried):
            kind = "value"
        forward.saved[name] = kind


def _ask_for_ends(steps: list[Step], carried: set[str]) -> None:
    """A gradient that reads an *output* of its operator means the value after it, not that of the round's beginning."""
    for step in all_steps(steps):
        forward = step.op.forward
        if forward is None or forward.type in _SCOPE_SLOTS:
            continue
        for slot, index in step.op.input_index.items():
            if slot in forward.output_index:
                step.inputs[index] = [name + END if name in carried else name for name in step.inputs[index]]
