"""Pruning and gradients of descs, as Fluid's compiled half does them (paddle.fluid.core)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from refluid.autodiff.grad_op import GradOp, gradient_operators
from refluid.core.reserved import EMPTY_VAR_NAME, grad_var_name
from refluid.ir import prune as pruning
from refluid.ir.desc import BlockDesc, OpDesc, ProgramDesc


def get_grad_op_desc(
    op_desc: OpDesc, no_grad_set: Iterable[str], grad_sub_block_list: Sequence[BlockDesc]
) -> tuple[list[OpDesc], dict[str, str]]:
    """The gradient operators of an operator, and {gradient: variable} of what they write.

    Args:
        no_grad_set: names of gradients ("x@GRAD") that are not wanted.
        grad_sub_block_list: the blocks of gradients, of an operator that carries a block.
    """
    stopped = set(no_grad_set)
    grad_ops = gradient_operators(
        op_desc.of, set(op_desc.of.output_arg_names), lambda name, *_: grad_var_name(name) not in stopped
    )
    written: dict[str, str] = {}
    return [_named(op_desc, one, grad_sub_block_list, written) for one in grad_ops], written


def _named(op_desc: OpDesc, grad_op: GradOp, blocks: Sequence[BlockDesc], written: dict[str, str]) -> OpDesc:
    desc = OpDesc()
    desc.set_type(grad_op.type)
    for slot, names in grad_op.inputs.items():
        desc.set_input(slot, names)
    for slot, owners in grad_op.grad_inputs.items():
        desc.set_input(slot, [grad_var_name(owner) for owner in owners])
    for slot, targets in grad_op.grad_outputs.items():
        desc.set_output(slot, [EMPTY_VAR_NAME if owner is None else grad_var_name(owner) for owner in targets])
        written.update({grad_var_name(owner): owner for owner in targets if owner is not None})
    desc.of.attrs = dict(grad_op.attrs)
    if blocks and op_desc.of.sub_block is not None:
        desc.of.attrs["sub_block"] = blocks[0].of
    return desc


def prune(
    program_desc: ProgramDesc, feeds: Iterable[str], targets: Iterable[Sequence[int]]
) -> tuple[ProgramDesc, dict[int, int]]:
    """(a program of what these operators need, {number of a block: its number there}).

    Args:
        feeds: names of variables that are fed: nothing before them is needed.
        targets: (block, position) of operators.
    """
    program = program_desc.of
    names = [name for block, position in targets for name in program.block(block).ops[position].output_arg_names]
    return _renumbered(program_desc, pruning.prune(program, names, feeds))


def prune_backward(program_desc: ProgramDesc) -> tuple[ProgramDesc, dict[int, int]]:
    """(the forward part of a program, {number of a block: its number there})."""
    return _renumbered(program_desc, pruning.prune_backward(program_desc.of))


def _renumbered(before: ProgramDesc, after: object) -> tuple[ProgramDesc, dict[int, int]]:
    made = ProgramDesc(after)  # type: ignore[arg-type]  # a Program
    return made, {index: index for index in range(min(before.num_blocks(), made.num_blocks()))}
