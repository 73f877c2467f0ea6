"""Hands outputs that programs do not show from an operator to its gradient: the places of the largest of a pooling."""

from __future__ import annotations

from refluid.executor.step import Step
from refluid.ops.signature import GRAD_SUFFIX


def link_hidden_outputs(steps: list[Step]) -> None:
    """Name hidden outputs, and the same names in the gradient operators that can read them."""
    makers: dict[tuple[str, str], Step] = {}
    for step in steps:
        if step.op.hidden and step.outputs[0]:
            makers[step.op.type, step.outputs[0][0] or ""] = step
    for step in steps:
        forward = step.op.forward
        if forward is None or not forward.hidden:
            continue
        first = forward.outputs[0].name + GRAD_SUFFIX
        grads = step.inputs[step.op.input_index[first]]
        maker = makers.get((forward.type, (grads[0] or "").split(GRAD_SUFFIX)[0])) if grads else None
        if maker is None:
            continue
        for index in forward.hidden:
            slot = forward.outputs[index].name
            if slot in step.op.input_index:
                name = f"{maker.outputs[0][0]}@{slot}"
                maker.outputs[index] = [name]
                step.inputs[step.op.input_index[slot]] = [name]
