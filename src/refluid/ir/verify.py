"""What a legal program is. The tests run this after every pass and on every program they build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.core.errors import EnforceNotMet
from refluid.ir.operator import EMPTY, Operator
from refluid.ops import registry

if TYPE_CHECKING:
    from refluid.ir.block import Block
    from refluid.ir.program import Program


def verify(program: Program) -> None:
    """Raise EnforceNotMet at the first thing that is not legal."""
    for index, block in enumerate(program.blocks):
        _require(block.idx == index and block.program is program, f"block {block.idx} stands at place {index}")
        _require(block.parent_idx < index, f"block {index} has the later block {block.parent_idx} as its parent")
        for name, var in block.vars.items():
            _require(var.name == name, f"variable {var.name} is filed under {name}")
            _require(var.block is block, f"variable {name} does not know its block {index}")
            _require(all(size >= -1 for size in var.shape), f"variable {name} has the shape {list(var.shape)}")
        _verify_order(block)


def _verify_order(block: Block) -> None:
    written: set[str] = set()
    for op in block.ops:
        _verify_operator(block, op)
        for name in op.input_arg_names:
            var = block.find_var(name)
            has_value = name == EMPTY or var is None or var.persistable or var.is_data or name not in block.vars
            late = any(name in other.output_arg_names for other in block.ops) and name not in written
            _require(has_value or not late, f"{op.type} reads {name} before anything writes it")
        written.update(op.output_arg_names)


def _verify_operator(block: Block, op: Operator) -> None:
    definition = registry.find(op.type)
    if definition is None:
        raise EnforceNotMet(f"operator {op.type} does not exist")
    _require(op.block is block, f"{op.type} does not know its block {block.idx}")
    for kind, used, slots in (("input", op.inputs, definition.inputs), ("output", op.outputs, definition.outputs)):
        known = {slot.name: slot for slot in slots}
        for slot, names in used.items():
            _require(slot in known, f"{op.type} has no {kind} slot {slot}")
            _require(len(names) <= 1 or known[slot].duplicable, f"{op.type}: {kind} {slot} holds {len(names)} names")
            for name in names:
                _require(name == EMPTY or block.find_var(name) is not None, f"{op.type}: {kind} {slot} names {name}")
    for name in op.attrs:
        _require(definition.has_attr(name), f"{op.type} has no attribute {name}")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise EnforceNotMet(f"not a legal program: {otherwise}")
