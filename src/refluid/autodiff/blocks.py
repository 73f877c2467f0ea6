"""The gradients of operators that carry a block: a block of gradient operators, and the operator that runs it.

The names are Fluid's. Inside a `while_grad` a gradient is called `x@GRAD` whatever it is called outside; the operator's
`original_output_grad` says so. Inside a `conditional_block_grad` the gradients of the outputs keep their outer names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from refluid.autodiff.grad_op import GradOp
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.prune import needed_ops
from refluid.ops.signature import GRAD_SUFFIX

if TYPE_CHECKING:
    from refluid.autodiff.backward import Walk


def gradient_of_condition(walk: Walk, op: Operator, available: set[str]) -> GradOp | None:
    outs = [name for name in op.output("Out") if name in available]
    for name in outs:
        walk.settle(name)
        walk.found[name] = [(None, walk.found[name][0][1])]  # the block reads it under this name: it must keep it
    block = _open(walk, op)
    inner = walk.inside(block)
    inner.found = {name: [(None, walk.found[name][0][1])] for name in outs}
    inner.inherited = {walk.found[name][0][1] for name in outs}
    inner.back(_path(op, set(outs)))
    _close(walk, block)
    contributed = [name if _contributed(inner, name, outs) else None for name in op.input("Input")]
    if not any(contributed) and not any(
        inner.block.is_array(name) for name in outs
    ):  # arrays are changed where they are
        _discard(walk, block)
        return None
    return GradOp(
        "conditional_block_grad",
        _slots(op, "Cond Input Out Scope"),
        {"Out@GRAD": outs},
        {"Input@GRAD": contributed},
        {"sub_block": block, "is_scalar_condition": op.attrs["is_scalar_condition"]},
        op.site,
    )


def gradient_of_loop(walk: Walk, op: Operator, available: set[str]) -> GradOp | None:
    """An iteration receives the gradients that it passes on to the one before it: the set grows to a fixed point."""
    outs = {name for name in op.output("Out") if name in available}
    for name in outs:
        walk.settle(name)
    while True:
        block = _open(walk, op)
        inner = walk.inside(block)
        inner.found = {name: [(None, name + GRAD_SUFFIX)] for name in outs}
        inner.inherited = {name + GRAD_SUFFIX for name in outs}
        for name in outs:  # blocks inside the loop must find them here, and not declare their own
            if block.find_var(name + GRAD_SUFFIX) is None:
                inner.declare(name + GRAD_SUFFIX, block._var_recursive(name))
        inner.back(_path(op, outs))
        _close(walk, block)
        more = {name for name in op.output("Out") if name in inner.found and name not in outs}
        if not more:
            break
        outs |= more
        _discard(walk, block)
    contributed = [name if _contributed(inner, name, outs, carried=True) else None for name in op.input("X")]
    if not any(contributed):
        _discard(walk, block)
        return None
    order = [name for name in op.output("Out") if name in outs]
    return GradOp(
        "while_grad",
        _slots(op, "X Out StepScopes"),
        {"Out@GRAD": order},
        {"X@GRAD": contributed},
        {
            "sub_block": block,
            "is_test": False,
            "original_output_grad": [name + GRAD_SUFFIX for name in order],
            "skip_eager_deletion_vars": [],
        },
        op.site,
        overwritten=frozenset(name for name in contributed if name in outs),
    )


def gradient_of_recurrence(walk: Walk, op: Operator, available: set[str]) -> GradOp | None:
    outs = {name for name in op.output("outputs") if name in available} | set(op.attrs["states"])
    block = _open(walk, op)
    inner = walk.inside(block)
    inner.found = {name: [(None, name + GRAD_SUFFIX)] for name in outs}
    inner.inherited = {name + GRAD_SUFFIX for name in outs}
    inner.back(_path(op, outs))
    _close(walk, block)
    contributed: dict[str, list[str | None]] = {
        "inputs@GRAD": [name if _contributed(inner, name, ()) else None for name in op.input("inputs")],
        "initial_states@GRAD": [
            name if _contributed(inner, state, ()) and walk.wanted(name) else None
            for name, state in zip(op.input("initial_states"), op.attrs["ex_states"], strict=True)
        ],
        "parameters@GRAD": [name if _contributed(inner, name, ()) else None for name in op.input("parameters")],
    }
    if not any(name for names in contributed.values() for name in names):
        _discard(walk, block)
        return None
    return GradOp(
        "recurrent_grad",
        {
            **_slots(op, "inputs initial_states parameters outputs step_scopes"),
            "step_scopes@GRAD": op.output("step_scopes"),
        },
        {"outputs@GRAD": op.output("outputs")},
        {slot: names for slot, names in contributed.items() if any(names)},
        {**{name: op.attrs[name] for name in ("has_states", "ex_states", "states", "reverse", "is_train")},
         "skip_eager_deletion_vars": [], "sub_block": block},
        op.site,
        optional=frozenset({"outputs@GRAD"}),
    )  # fmt: skip


def _contributed(inner: Walk, name: str, outs: Collection[str], carried: bool = False) -> bool:
    """Whether the block passes a gradient on to an outer variable."""
    if name in outs and carried:
        return True
    if name not in inner.found or not inner.wanted(name):
        return False
    writer = inner.found[name][0][0]
    return writer is not None or (inner.block.is_array(name) and name not in outs)


def _slots(op: Operator, names: str) -> dict[str, list[str]]:
    return {slot: list(found) for slot in names.split() if (found := op.inputs.get(slot) or op.outputs.get(slot))}


def _path(op: Operator, targets: set[str]) -> list[Operator]:
    """The operators of the block that the targets depend on, through earlier iterations too."""
    assert op.sub_block is not None
    return needed_ops(op.sub_block.ops, targets, set())


def _open(walk: Walk, op: Operator) -> Block:
    program = walk.block.program
    assert op.sub_block is not None
    block = program._create_block(walk.block.idx)
    block.forward_block_idx = op.sub_block.idx
    return block


def _close(walk: Walk, block: Block) -> None:
    block.program.current_block_idx = walk.home


def _discard(walk: Walk, block: Block) -> None:
    """Take back a block, and the blocks inside it, which were made after it."""
    del block.program.blocks[block.idx :]


BlockRule = Callable[["Walk", Operator, set[str]], GradOp | None]
BLOCK_RULES: dict[str, BlockRule] = {
    "while": gradient_of_loop, "conditional_block": gradient_of_condition, "recurrent": gradient_of_recurrence,
}  # fmt: skip
