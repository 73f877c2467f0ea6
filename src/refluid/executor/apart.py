"""Updates whose results have other names than what they update: a hand-written `sgd` from `w` to `w_next`.

Kernels of updates write over their inputs, which programs of optimizers name as the outputs too. Where a program names
something else, the kernel gets a copy under the output's name, and the input keeps its value as in Fluid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.ops.shape.assign import assign

if TYPE_CHECKING:
    from refluid.executor.step import Step


def with_copies(step: Step) -> list[Step]:
    """The step, behind copies of the inputs that it would write over and that are not its outputs."""
    if not step.op.inplace or step.op.has_gradient:
        return [step]
    renamed: dict[int, str] = {}  # the input slot that is written to: what the result is called
    for out, source in step.op.inplace.items():
        names, given = step.outputs[out], step.inputs[source]
        if given and given[0] and names[:1] != given[:1]:
            # A program of 1.5 has no outputs for adam's powers of betas; operators of their own move them on.
            renamed[source] = names[0] if names and names[0] else given[0] + "@COPY"
    before = []
    for slot, names in enumerate(step.inputs):  # what is read under a name that a copy takes
        for i, name in enumerate(names):
            if name and slot not in renamed and name in renamed.values():
                before.append(_copy(step, name, name + "@BEFORE"))
                names[i] = name + "@BEFORE"
    for slot, name in renamed.items():
        before.append(_copy(step, step.inputs[slot][0] or "", name))
        step.inputs[slot] = [name]
    return [*before, step]


def _copy(step: Step, source: str, name: str) -> Step:
    return type(step)(assign, step.operator, [[source]], [[name]], {})
