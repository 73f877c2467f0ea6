"""Tells forward blocks what their gradients read of them, so that they keep that and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from refluid.executor.passes.dead_code import drop_dead
from refluid.executor.step import Step, all_steps
from refluid.ops.signature import GRAD_SUFFIX, owner_of

END = "@END"  # a variable that a loop carries, as it is when a round ends
BEFORE, AFTER = "@BEFORE@", "@AFTER@"  # a variable that a branch may write over, as it is before and behind it
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
    made_inside |= {name for part in all_steps(forward.body) for name in part.saved}
    at_top = {name for part in forward.body if not part.body for names in part.outputs for name in names if name}
    carried = {name for name in forward.writes()}
    made_by_gradient = {name for part in gradient.body for name in part.writes()}
    if forward.op.type == "while":
        _ask(forward, gradient, carried - made_by_gradient, "", END)
    elif forward.op.type == "conditional_block":
        block = forward.operator.block
        mine = {name for name in carried - made_by_gradient if not block.is_array(name)}
        forward.saved.update(dict.fromkeys(_ask_for_sides(forward, gradient, mine), "value"))
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


def _ask_for_sides(forward: Step, gradient: Step, carried: set[str]) -> list[str]:
    """Let the gradient of a branch read what the branch has read or written, whatever happens to the variable later."""
    scope = gradient.operator.input("Scope")[0]
    return _ask(forward, gradient, carried, f"{BEFORE}{scope}", f"{AFTER}{scope}")


def _ask(forward: Step, gradient: Step, carried: set[str], before: str, after: str) -> list[str]:
    """Note [Which value a gradient means]

    An outer variable that a block writes over has two values: before and behind the writing. A gradient that reads an
    output of its operator means the one behind; one that reads an input means the one that the operator has seen, which
    depends on whether it stands before or behind the writing. So the names that gradients read get a suffix; returns
    the names with suffixes that were asked for.
    """
    writers = {name: [i for i, part in enumerate(forward.body) if name in set(part.writes())] for name in carried}
    asked: dict[str, None] = {}

    def ask(steps: list[Step], names: set[str], around: int | None) -> None:
        for step in steps:
            position = around if around is not None else _position(forward.body, step)
            of = step.op.forward
            for slot, index in step.op.input_index.items():
                is_output = of is not None and of.type not in _SCOPE_SLOTS and slot in of.output_index
                found = step.inputs[index]
                step.inputs[index] = []
                for name in found:
                    if name and name in names:
                        behind = is_output or any(i < position for i in writers[name])
                        name += after if behind else before
                        asked[name] = None
                    step.inputs[index].append(name)
            # What the rounds of a loop inside have saved, its gradient reads from there.
            inside = set(step.forward.saved) if step.forward is not None else set()
            ask(step.body, names - inside, position)

    ask(gradient.body, carried, None)
    return list(asked)


def _position(body: list[Step], gradient: Step) -> int:
    """Where in a block the operator stands whose gradient this is; -1 if it cannot be told."""
    op, operator = gradient.op, gradient.operator
    for position in reversed(range(len(body))):
        part = body[position]
        if op.type in _ARRAY_GRADIENTS:
            if part.op.type != _ARRAY_GRADIENTS[op.type]:
                continue
            if op.type == "read_from_array":
                if operator.input("X_W") == part.operator.input("X"):
                    return position
            elif set(map(owner_of, operator.input("X"))) & set(part.operator.output("Out")):
                return position
        elif op.forward is part.op:
            given = [name for slot, names in operator.inputs.items() if slot.endswith(GRAD_SUFFIX) for name in names]
            if set(map(owner_of, given)) & set(part.operator.output_arg_names):
                return position
    return -1


_ARRAY_GRADIENTS = {"read_from_array": "write_to_array", "write_to_array": "read_from_array"}
