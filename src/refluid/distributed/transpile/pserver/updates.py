"""The operators of a program that update parameters, which servers run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from refluid.distributed.transpile.roles import CLIP_OP_NAME_SCOPE, OP_NAME_SCOPE
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.roles import ROLE, ROLE_VAR, OpRole

# Of clips of an optimizer; those of parameters have the other scope, which alone 1.8.5 looks for.
_OPTIMIZER_CLIP = "gradient_clip"


@dataclass
class Updates:
    """`ops` decay and update; `pairs` are the parameters and the gradients that they begin with."""

    ops: list[Operator]
    pairs: list[tuple[Any, Any]]

    def of(self, param: str) -> list[Operator]:
        """What updates one parameter, in order."""
        return [op for op in self.ops if role_vars(op)[:1] == [param]]


def role_vars(op: Operator) -> list[str]:
    """The parameter and its gradient that an operator works for."""
    return list(op.attrs.get(ROLE_VAR) or [])


def is_update(op: Operator) -> bool:
    """Whether it changes a parameter; decay changes gradients."""
    return "Param" in op.inputs and "LearningRate" in op.inputs


def read_updates(block: Block) -> Updates:
    """Find them. Clips are marked as part of the backward pass: they need the gradients of one trainer, all of them."""
    updates = Updates([], [])
    known = set()
    for op in block.ops:
        if int(op.attrs.get(ROLE, 0)) != OpRole.Optimize:
            continue
        if _clips(op):
            op._set_attr(ROLE, int(OpRole.Backward))
            continue
        updates.ops.append(op)
        names = role_vars(op)
        if names and names[0] not in known:
            known.add(names[0])
            updates.pairs.append((block.vars[names[0]], block.vars[names[1]]))
    updates.pairs += _changed_elsewhere(block)
    return updates


def _clips(op: Operator) -> bool:
    scope = op.attrs.get(OP_NAME_SCOPE, "")
    return CLIP_OP_NAME_SCOPE in scope or _OPTIMIZER_CLIP in scope


def _changed_elsewhere(block: Block) -> list[tuple[Any, Any]]:
    """Parameters that operators change in the backward pass; they are sent as they are."""
    names = [op.attrs.get("distribute_update_vars") for op in block.ops]
    return [(block.vars[name],) * 2 for name in dict.fromkeys(",".join(filter(None, names)).split(",")) if name]


def schedule_ops(block: Block) -> list[Operator]:
    """What computes learning rates."""
    wanted = (OpRole.LRSched, OpRole.LRSched | OpRole.Optimize)
    return [op for op in block.ops if int(op.attrs.get(ROLE, 0)) in wanted]
