"""Gradients that may be None: what took no part in a run has none, as in the imperative mode, and not zeros.

An optimizer leaves such a parameter alone; zeros would let it decay, and move it by what it remembers. Nones begin
where a branch was not taken, a loop had no rounds or nobody has used an output, and are handed on by sums and by
operators that read one gradient. Wherever something else reads the gradient, it is zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from refluid.executor.step import Step
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.signature import GRAD_SUFFIX

_FORWARD_SLOT = {"conditional_block_grad": "Input", "while_grad": "X"}


def allow_none(
    steps: list[Step], given: Collection[str] = (), never: Collection[str] = (), among: Collection[str] | None = None
) -> set[str]:
    """Mark the steps that make such gradients (`Step.optional`), and let those that hand them on do so.

    Args:
        given: names that come from outside and may be None.
        never: names that must have a value.
        among: names that may be None at all; None means any.
    Returns:
        All names that may be None.
    """
    names = {
        name for step in steps for name in _begins(step) + _hands_on(step)
        if name not in never and (among is None or name in among)
    } | set(given)  # fmt: skip
    makers: dict[str, int] = {}
    for step in steps:
        for name in step.writes():
            makers[name] = makers.get(name, 0) + 1
    names = {name for name in names if makers[name] == 1}
    while refused := {name for step in steps for name in step.reads() if name in names and not _takes(step, names)}:
        names -= refused
    for step in steps:
        if step.op.type in _FORWARD_SLOT:
            step.optional = names.intersection(_begins(step))
            inside = {_inside(step, name) for name in step.optional}
            rest = {name for name in step.set_inside() if name not in inside}
            last = {name for name in _begins(step) if name not in step.optional}
            allow_none(step.body, (), rest | {_inside(step, name) for name in last}, step.local)
        elif step.op.type == "sum" and names.intersection(step.inputs[0]):
            step.kernel, step.label = sum_of_present, "sum_of_present"
        elif (one := _given(step)) is not None and one in names:
            step.kernel, step.label = _if_there(step, one), f"{step.op.type}_if_there"
    return names


def _begins(step: Step) -> list[str]:
    """Gradients that a block may not have contributed to."""
    if step.op.type not in _FORWARD_SLOT:
        return []
    is_array = step.operator.block.is_array
    found = [name for name in step.outputs[0] if name]
    return [name for name in found if not is_array(_owner(step, name)) and _inside(step, name) not in step.set_inside()]


def _owner(step: Step, name: str) -> str:
    return step.operator.input(_FORWARD_SLOT[step.op.type])[step.outputs[0].index(name)]


def _inside(step: Step, name: str) -> str:
    """What a gradient that the block gives is called in it."""
    return _owner(step, name) + GRAD_SUFFIX


def _hands_on(step: Step) -> list[str]:
    """Gradients that are None if what the step reads is."""
    if step.op.type == "sum" and step.kernel is None:
        return [name for name in step.outputs[0] if name]
    return [] if _given(step) is None else [name for names in step.outputs for name in names if name]


def _given(step: Step) -> str | None:
    """The one gradient that an ordinary step reads, by its value; None if it is not so."""
    if step.kernel is not None or step.merged or step.body or step.op.lod_rule or step.op.inplace:
        return None
    found = [name for names in step.inputs for name in names if name and GRAD_SUFFIX in name]
    if len(found) != 1 or found[0] in step.shape_reads() or step.op.type in ("select_output", "sum"):
        return None
    return found[0]


def _takes(step: Step, names: set[str]) -> bool:
    """Whether the step can be given None for those of its inputs that are among the names."""
    if step.op.type == "sum" and step.kernel is None:
        out = step.outputs[0][0]
        return out in names or not names.issuperset(filter(None, step.inputs[0]))
    return names.issuperset(_hands_on(step)) if _given(step) is not None else False


def _if_there(step: Step, given: str) -> Callable:
    kernel = step.op.kernel
    slot = next(i for i, found in enumerate(step.inputs) if given in found)
    at = next(i for i, param in enumerate(step.op.params) if param.slot == slot and param.kind == "value")
    nothing: Any = tuple(
        [None] * len(names) if slot.duplicable else None
        for slot, names in zip(step.op.outputs, step.outputs, strict=True)
    )
    if step.op.single:
        (nothing,) = nothing

    def run(*args: Any, **kwargs: Any) -> Any:
        one = args[at]
        return nothing if one is None or (type(one) is list and one[0] is None) else kernel(*args, **kwargs)

    return run


def sum_of_present(X: list[Any]) -> Any:
    """The sum of those that are there; None if none is."""
    found = [one for one in X if one is not None]
    return sum_op.kernel(found) if len(found) > 1 else found[0] if found else None
