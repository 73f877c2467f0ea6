"""Operators that carry blocks, and arrays of tensors: Python's own loops, conditions and lists."""

from __future__ import annotations

from refluid.export.mapping import Value, walk
from refluid.export.to_torch.writer import Writer, maps
from refluid.ir.block import Block
from refluid.ir.operator import Operator


@maps("while")
def while_(w: Writer, Condition: Value, *, sub_block: Block) -> tuple:
    with w.block(f"while {Condition}:"):
        walk(w, maps, sub_block.ops, w.env, w.problems)
    return ()


@maps("conditional_block")
def conditional_block(w: Writer, *, sub_block: Block, op: Operator) -> tuple:
    for name in op.output("Out"):
        if name not in w.env:  # the block may be skipped, and something reads its output all the same
            w.line(f"{w.local(name)} = None")
    with w.block(f"if {w.env[op.input('Cond')[0]]}:"):
        walk(w, maps, sub_block.ops, w.env, w.problems)
    return ()


@maps("select_input")
def select_input(w: Writer, Mask: Value, *, op: Operator) -> str:
    return f"[{', '.join(w.env[name].name for name in op.input('X'))}][int({Mask})]"
