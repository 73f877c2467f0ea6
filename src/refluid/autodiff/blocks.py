"""What the gradient rules of operators that carry a block are made of (`@op.gradient_block`; see executor/blocks).

The gradient is a block of gradient operators, and an operator that runs it.

The names are Fluid's. Inside a `while_grad` a gradient is called `x@GRAD` whatever it is called outside; the operator's
`original_output_grad` says so. Inside a `conditional_block_grad` the gradients of the outputs keep their outer names.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.prune import needed_ops

if TYPE_CHECKING:
    from refluid.autodiff.backward import Walk


def contributed(inner: Walk, name: str, outs: Collection[str], carried: bool = False) -> bool:
    """Whether the block passes a gradient on to an outer variable."""
    if name in outs and carried:
        return True
    if name not in inner.found or not inner.wanted(name):
        return False
    writer = inner.found[name][0][0]
    return writer is not None or (inner.block.is_array(name) and name not in outs)


def slots_of(op: Operator, names: str) -> dict[str, list[str]]:
    """The variables in these slots of an operator, inputs or outputs, without slots that are empty."""
    return {slot: list(found) for slot in names.split() if (found := op.inputs.get(slot) or op.outputs.get(slot))}


def path_to(op: Operator, targets: set[str]) -> list[Operator]:
    """The operators of the block that the targets depend on, through earlier iterations too."""
    assert op.sub_block is not None
    return needed_ops(op.sub_block.ops, targets, set())


def open_block(walk: Walk, op: Operator) -> Block:
    """A new block for the gradients of those of the operator's block."""
    program = walk.block.program
    assert op.sub_block is not None
    block = program._create_block(walk.block.idx)
    block.forward_block_idx = op.sub_block.idx
    return block


def close_block(walk: Walk, block: Block) -> None:
    """Go back to the block that the walk writes to."""
    block.program.current_block_idx = walk.home


def discard_block(walk: Walk, block: Block) -> None:
    """Discard a block, and the blocks inside it, which were made after it."""
    del block.program.blocks[block.idx :]
