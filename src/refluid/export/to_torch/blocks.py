"""Operators that carry blocks, and arrays of tensors: Python's own loops, conditions and lists."""

from __future__ import annotations

from refluid.export.mapping import Unsupported, Value, walk
from refluid.export.to_torch import helpers
from refluid.export.to_torch.writer import Writer, call, maps, templates
from refluid.ir.block import Block
from refluid.ir.operator import Operator


@maps("while")
def while_(w: Writer, Condition: Value, *, sub_block: Block) -> tuple:
    with w.block(f"while {Condition}:"):
        walk(w, maps, sub_block.ops, w.env, w.problems)
    return ()


@maps("conditional_block")
def conditional_block(w: Writer, *, sub_block: Block, is_scalar_condition: bool, op: Operator) -> tuple:
    if not is_scalar_condition:
        raise Unsupported("a block for a part of the rows (IfElse) cannot be exported; cond can")
    for name in op.output("Out"):
        if name not in w.env:  # the block may be skipped, and something reads its output all the same
            w.line(f"{w.local(name)} = None")
    with w.block(f"if {w.env[op.input('Cond')[0]]}:"):
        walk(w, maps, sub_block.ops, w.env, w.problems)
    return ()


@maps("select_input")
def select_input(w: Writer, X: list[Value], Mask: Value) -> str:
    return f"[{', '.join(map(str, X))}][int({Mask})]"


@maps("write_to_array")
def write_to_array(w: Writer, X: Value, I: Value, *, op: Operator) -> str:
    (name,) = op.output("Out")
    return call(w.use(helpers.array_write), w.env[name], I, X)


templates(
    {
        "read_from_array": "{X}[int({I})]",
        "lod_array_length": "torch.tensor([len({X})])",
    }
)


@maps("tensor_array_to_tensor")
def tensor_array_to_tensor(w: Writer, X: Value, *, axis: int, use_stack: bool) -> str:
    return f"torch.{'stack' if use_stack else 'cat'}({X}, {axis})"
