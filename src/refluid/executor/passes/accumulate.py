"""Gradients that are added up are added where they arise: the parts of a sum are not made one by one.

What a network takes of one tensor piece by piece (the steps of a sequence) gets a gradient per piece, each as large as
the whole and almost all zeros. Where the gradient operator has an `adds` rule, the first part becomes the sum, and the
others are added to it.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from typing import Any

from refluid.executor.step import Step
from refluid.ops.registry import OpDef, Tensor
from refluid.ops.signature import GRAD_SUFFIX


def accumulate(steps: list[Step], fetches: set[str], persistable: Callable[[str], bool]) -> list[Step]:
    reads = Counter(name for step in steps for name in step.reads())
    writes = Counter(name for step in steps for name in step.writes())
    at = {name: i for i, step in enumerate(steps) if not step.body for name in step.writes()}
    result: list[Step | None] = list(steps)
    for i, step in enumerate(steps):
        if step.op.type != "sum" or step.body:
            continue
        parts = [
            name for name in step.inputs[0]
            if name and reads[name] == writes[name] == 1 and name not in fetches and not persistable(name)
            and name in at and _can_add(steps[at[name]])
        ]  # fmt: skip
        parts.sort(key=at.__getitem__)
        if len(parts) < 2:
            continue
        total, *others = parts
        for name in others:
            result[at[name]] = _adding(steps[at[name]], total)
        left = [name for name in step.inputs[0] if name not in others]
        if len(left) > 1 or any(writes[name] > 1 or persistable(name) for name in step.writes()):
            step.inputs[0] = left
            continue
        result[i] = None
        for part in (steps[at[total]], *(result[at[name]] for name in others)):
            assert part is not None
            part.inputs = [[step.outputs[0][0] if name == total else name for name in names] for names in part.inputs]
            part.outputs = [step.outputs[0]]
    return [step for step in result if step is not None]


def _can_add(step: Step) -> bool:
    """Whether the step gives one gradient, a dense tensor, which can be added to another."""
    return step.op.single and bool(step.op.adders) and step.kernel is None and not step.attrs.get("is_sparse")


def _adding(step: Step, total: str) -> Step:
    return Step(
        _adding_op(step.op), step.operator, [[total], *step.inputs], [[total]], step.attrs, label=f"add_{step.op.type}"
    )


@functools.cache
def _adding_op(gradient: OpDef) -> OpDef:
    """Not registered: it exists in plans only."""
    rule = gradient.adders[gradient.outputs[0].name.removesuffix(GRAD_SUFFIX)]

    @functools.wraps(rule)
    def add(total: Tensor, *args: Any, **attrs: Any) -> None:
        if not rule(total, *args, **attrs):
            total.add_(gradient.kernel(*args, **attrs))

    slot = gradient.outputs[0].name
    made = OpDef(
        add, slot, type=f"add_{gradient.type}", inplace={slot: "total"}, lod=None, nograd="*", rename=gradient.rename
    )
    made.forward = gradient.forward  # so that the sum keeps the LoD of what it is the gradient of
    return made
