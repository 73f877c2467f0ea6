"""The gradient operator of one operator of a program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from refluid.core.callsite import CallSite
from refluid.ir.operator import Operator
from refluid.ir.roles import ROLE, ROLE_VAR
from refluid.ops.backward_ops import BackwardOp
from refluid.ops.signature import GRAD_SUFFIX, output_of


@dataclass
class GradOp:
    """A gradient operator before its gradients have names."""

    type: str
    inputs: dict[str, list[str]]  # forward values by slot
    grad_inputs: dict[str, list[str]]  # slot -> the variables whose gradients it reads
    grad_outputs: dict[str, list[str | None]]  # slot -> the variables whose gradients it gives (None: not wanted)
    attrs: dict[str, Any]
    site: CallSite | None
    optional: frozenset[str] = frozenset()  # slots of grad_inputs that may be empty
    overwritten: frozenset[str] = frozenset()  # variables that the operator overwrites: its inputs and outputs
    partial: bool = False  # gradients that are not there are left out, in place of zeros

    @property
    def reads(self) -> list[str]:
        return [name for names in self.grad_inputs.values() for name in names]


def gradient_operators(op: Operator, available: set[str], wanted: Callable[..., bool]) -> list[GradOp]:
    """The operators that pass gradients back through `op`; none if nothing is to be passed on.

    Args:
        available: outputs of `op` whose gradients exist.
        wanted: whether the gradient of a variable is wanted.
    """
    rule = op.definition.rules.gradient_ops if op.definition is not None else None
    written = rule(op) if rule is not None else []
    grad_ops = [_written(op, one, available, wanted) for one in written] or [_gradient_operator(op, available, wanted)]
    return [grad_op for grad_op in grad_ops if grad_op is not None]


def _written(op: Operator, part: BackwardOp, available: set[str], wanted: Callable[..., bool]) -> GradOp | None:
    targets: dict[str, list[str | None]] = {
        slot: [name if wanted(name, part.any_dtype) else None for name in names] for slot, names in part.targets.items()
    }
    if not any(name for names in targets.values() for name in names):
        return None
    if not any(name in available for names in part.sources.values() for name in names):
        return None
    optional = frozenset(part.sources if part.optional else ())
    return GradOp(part.type, part.inputs, part.sources, targets, part.attrs, op.site, optional)


def _gradient_operator(op: Operator, available: set[str], wanted: Callable[..., bool]) -> GradOp | None:
    forward = op.definition
    gradient = forward.gradient if forward is not None else None
    if forward is None or gradient is None:
        return None
    inputs: dict[str, list[str]] = {}
    grad_inputs: dict[str, list[str]] = {}
    for slot in gradient.inputs:
        name = slot.name
        if name in forward.input_index or name in forward.output_index:
            values = op.inputs.get(name) or op.outputs.get(name)
            if values and not (slot.dispensable and name in forward.output_index and _never_made(op, values)):
                inputs[name] = list(values)
        elif op.outputs.get(output_of(name)):
            grad_inputs[name] = list(op.outputs[output_of(name)])
    if not any(name in available for names in grad_inputs.values() for name in names):
        return None
    for name in forward.grad_keeps:
        values = op.inputs.get(name) or op.outputs.get(name)
        if values:
            inputs[name] = list(values)
    grad_outputs: dict[str, list[str | None]] = {}
    for slot in gradient.outputs:
        owners = op.inputs.get(slot.name.removesuffix(GRAD_SUFFIX), [])
        # A gradient that does something besides (pyramid_hash_grad trains its table) comes with integers too.
        names = [owner if wanted(owner, gradient.side_effect) else None for owner in owners]
        if any(name is not None for name in names):
            grad_outputs[slot.name] = names
    if not grad_outputs:
        return None
    attrs = {name: value for name, value in op.attrs.items() if name not in (ROLE, ROLE_VAR)}
    optional = frozenset(slot.name for slot in gradient.inputs if slot.dispensable)
    overwritten = frozenset(op.input_arg_names) & frozenset(op.output_arg_names)
    return GradOp(gradient.type, inputs, grad_inputs, grad_outputs, attrs, op.site, optional, overwritten)


def _never_made(op: Operator, names: list[str]) -> bool:
    """Whether inference gave the variables no shape: sequence_pool makes MaxIndex for maxima only."""
    found = [op.block.find_var(name) for name in names]
    return all(var is not None and not var.shape for var in found)
