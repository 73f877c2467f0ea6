"""Pruning: only what the targets need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from refluid.core.errors import NotFoundError
from refluid.ir.clone import clone, drop_unused_blocks, drop_unused_vars
from refluid.ir.operator import Operator
from refluid.ir.roles import OpRole, has_role

if TYPE_CHECKING:
    from refluid.ir.program import Program


def needed_ops(ops: Iterable[Operator], targets: set[str], feeds: set[str]) -> list[Operator]:
    """The operators that the targets depend on, in order; nothing before a fed variable is needed.

    An operator that reads a fed variable and overwrites it, such as a loop that begins with it, comes after the feed.
    """
    needed, kept = set(targets), []
    fed: set[str] = set()  # those that are read further on
    for op in reversed(list(ops)):
        written, read = set(op.output_arg_names), set(op.input_arg_names)
        if written & needed or written & read & fed:
            kept.append(op)
            needed -= op.replaced() - read
            needed |= read - feeds
            fed |= read & feeds
    return kept[::-1]


def prune(program: Program, targets: Any, feeds: Any = ()) -> Program:
    """A copy with only the operators that the targets need. Targets and feeds are variables or names.

    Targets may be operators too, such as updates; without them only forward operators stay.
    """
    targets = targets if isinstance(targets, list | tuple | set) else [targets]
    updates = [t for t in targets if isinstance(t, Operator)]
    names = {t if isinstance(t, str) else t.name for t in targets if not isinstance(t, Operator)}
    names.update(name for op in updates for name in op.output_arg_names)
    fed = {f if isinstance(f, str) else f.name for f in feeds}
    pruned = clone(program)
    block = pruned.global_block()
    for name in names:
        if block.find_var(name) is None:
            raise NotFoundError(f"prune: target {name!r} is not in the program")
    later = OpRole.Backward | OpRole.Optimize
    ops = block.ops if updates else [op for op in block.ops if not has_role(op.attrs, later)]
    block.ops = needed_ops(ops, names, fed)
    drop_unused_blocks(pruned)
    pruned.readers = [one for one in pruned.readers if any(op.output("Out") == one.names for op in block.ops)]
    used = {name for op in pruned.operators() for name in (*op.input_arg_names, *op.output_arg_names)}
    # a target that is fed, and a feed that no target needs, are in no operator
    block.vars = {name: var for name, var in block.vars.items() if name in used or name in names | fed}
    pruned.touch()
    return pruned


def prune_backward(program: Program) -> Program:
    """A copy of the forward part: without gradients, updates and the loss's own gradient."""
    pruned = clone(program)
    for block in pruned.blocks:
        block.ops = [op for op in block.ops if not has_role(op.attrs, OpRole.Backward | OpRole.Optimize)]
    drop_unused_blocks(pruned)
    for block in pruned.blocks:
        drop_unused_vars(block, keep_data=True)
    pruned.touch()
    return pruned
