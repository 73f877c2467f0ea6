"""Copies of programs."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.roles import OpRole, has_role
from refluid.ir.variable import Variable

if TYPE_CHECKING:
    from refluid.ir.program import Program

_TRAINING = OpRole.Backward | OpRole.Optimize | OpRole.LRSched
_EXCHANGE = OpRole.RPC | OpRole.Dist


def clone(program: Program, for_test: bool = False) -> Program:
    """A copy of the program; for testing, of its forward part with `is_test` set."""
    copied = type(program)()
    copied.random_seed = program.random_seed
    copied.readers = list(program.readers)
    copied._name_scopes = list(program._name_scopes)
    copied._copy_dist_param_info_from(program)
    copied._remote_tables = program._remote_tables
    copied.blocks = [_copy_block(copied, block) for block in program.blocks]
    relink_blocks(copied)
    copied.current_block_idx = program.current_block_idx
    if for_test:
        copied.current_block_idx = 0
        dropped = _TRAINING
        if any(has_role(op.attrs, OpRole.Backward) for op in copied.operators()):
            # A trainer's program sends gradients. Fluid keeps that without them, and such a program cannot run.
            dropped |= _EXCHANGE
        for block in copied.blocks:
            block.ops = [op for op in block.ops if not has_role(op.attrs, dropped)]
            for op in block.ops:
                _set_for_test(op)
        drop_unused_blocks(copied)
        for block in copied.blocks:
            drop_unused_vars(block, keep_data=True)
    copied.touch()
    return copied


def relink_blocks(program: Program) -> None:
    """Make operators that carry a block carry that of their own program."""
    for op in program.operators():
        if op.sub_block is not None:
            op.attrs["sub_block"] = program.blocks[op.sub_block.idx]
        elif op.blocks:
            op.attrs["optimize_blocks"] = [program.blocks[block.idx] for block in op.blocks]


def drop_unused_blocks(program: Program) -> None:
    """Remove blocks that no operator runs any more, and renumber the others."""
    kept = [program.blocks[0]]
    for block in kept:  # grows while it is walked
        kept.extend(inner for op in block.ops for inner in op.blocks)
    if len(kept) == len(program.blocks):
        return
    kept.sort(key=lambda block: block.idx)
    number = {block.idx: position for position, block in enumerate(kept)}
    for block in kept:
        block.parent_idx = number.get(block.parent_idx, -1)
        block.forward_block_idx = number.get(block.forward_block_idx, -1)
    for position, block in enumerate(kept):
        block.idx = position
    program.blocks = kept


def _set_for_test(op: Operator) -> None:
    definition = op.definition
    if definition is not None and "is_test" in definition.attrs:
        op.attrs["is_test"] = True


def _copy_block(program: Program, block: Block) -> Block:
    copied = Block(program, block.idx, block.parent_idx)
    copied.forward_block_idx = block.forward_block_idx
    copied.vars = {name: _copy_var(copied, var) for name, var in block.vars.items()}
    copied.ops = [copy_operator(copied, op) for op in block.ops]
    return copied


def _copy_var(block: Block, var: Variable) -> Variable:
    copied = copy.copy(var)
    copied.block = block
    copied.op = None
    return copied


def copy_operator(block: Block, op: Operator) -> Operator:
    return Operator(
        block,
        op.type,
        {slot: list(names) for slot, names in op.inputs.items()},
        {slot: list(names) for slot, names in op.outputs.items()},
        dict(op.attrs),
        op.site,
    )


def drop_unused_vars(block: Block, keep_data: bool = False) -> None:
    """Remove variables that no operator of the program names any more; parameters and data are kept."""
    used = {name for op in block.program.operators() for name in (*op.input_arg_names, *op.output_arg_names)}
    block.vars = {
        name: var for name, var in block.vars.items() if name in used or var.is_parameter or (keep_data and var.is_data)
    }
