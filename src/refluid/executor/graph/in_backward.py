"""Operators that mean something else in a backward pass: the gradient of a write to an array is a read that takes."""

from __future__ import annotations

from refluid.ir.operator import Operator
from refluid.ir.roles import OpRole, has_role
from refluid.ops.registry import OpDef


def definition_of(operator: Operator) -> OpDef | None:
    """What a plan runs for an operator of a program."""
    op = operator.definition
    if op is not None and op.rules.in_backward is not None and has_role(operator.attrs, OpRole.Backward):
        return op.rules.in_backward
    return op


def changed_inputs(operator: Operator) -> list[str]:
    """Variables that an operator changes in place although programs name them as inputs alone."""
    op = definition_of(operator)
    if op is None or not op.hidden:
        return []
    slots = [source for out, source in op.inplace.items() if out in op.hidden]
    return [name for source in slots for name in operator.inputs.get(op.inputs[source].name, ())]
