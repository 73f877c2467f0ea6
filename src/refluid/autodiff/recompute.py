"""Recomputation: the backward pass runs parts of the forward pass again instead of keeping what they gave.

The operators up to the last checkpoint fall into segments that end at checkpoints. Before the backward pass reads
something of a segment, the operators that make it are written once more, from the checkpoint before, with results of
other names (`fc_1.tmp_0.subprog_0`); so the results of the forward pass are freed as soon as the forward pass has read
them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from refluid.core import unique_name
from refluid.core.errors import ArgumentError
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.roles import ROLE, OpRole
from refluid.ir.variable import Variable


def checkpoint_names(block: Block, checkpoints: Iterable[Any]) -> list[str]:
    """The names of checkpoints that operators of the block make, in the order in which they are made."""
    names = [one.name if isinstance(one, Variable) else one for one in checkpoints]
    positions = {name: position for position, op in enumerate(block.ops) for name in op.output_arg_names}
    for name in names:
        if name not in positions and block.find_var(name) is None:
            raise ArgumentError(f"checkpoints: no operator of the program makes {name!r}")
    return sorted(positions.keys() & names, key=lambda name: positions[name])  # what is fed is there anyway


def seed_dropouts(block: Block, checkpoints: list[str]) -> None:
    """Give every dropout that may run again a seed that an operator draws, so that its mask is the same."""
    last = _maker(block.ops, checkpoints[-1])
    for op in [op for op in block.ops[: last + 1] if op.type == "dropout"]:
        if not op.input("Seed") and not op.attrs.get("fix_seed") and not op.attrs.get("is_test"):
            seed = block.create_var(name=unique_name.generate("seed") + ".tmp_0", dtype="int32", stop_gradient=True)
            block._insert_op(block.ops.index(op), "seed", outputs={"Out": seed}, attrs={"seed": 0})
            op.inputs = {**op.inputs, "Seed": [seed.name]}


def rerun_segments(block: Block, checkpoints: list[str], forward: int) -> None:
    """Let what follows the first `forward` operators read recomputed values."""
    ops = block.ops[:forward]
    ends = [_maker(ops, name) for name in checkpoints]
    writes = Counter(name for op in ops for name in set(op.output_arg_names))
    kept = {name for name, count in writes.items() if count > 1} | set(checkpoints)
    segments = [ops[start:end] for start, end in zip([0, *(e + 1 for e in ends)], [e + 1 for e in ends], strict=False)]
    for number, segment in enumerate(reversed(segments)):
        _rerun(block, segment, number, kept, forward)


def _rerun(block: Block, segment: list[Operator], number: int, kept: set[str], forward: int) -> None:
    makers = {name: op for op in segment if _repeatable(block, op) for name in op.output_arg_names if name not in kept}
    readers = [(position, op) for position, op in enumerate(block.ops) if position >= forward]
    wanted = {name for _, op in readers for name in _read_values(op) if name in makers}
    if not wanted:
        return
    again: set[str] = set()
    for op in reversed(segment):
        if any(makers.get(name) is op and name in wanted for name in op.output_arg_names):
            again |= {name for name in op.output_arg_names if makers.get(name) is op}
            wanted |= {name for name in op.input_arg_names if name in makers}
    first = next(position for position, op in readers if not again.isdisjoint(_read_values(op)))
    renamed = {name: f"{name}.subprog_{number}" for name in again}
    for _, op in readers:
        _rename_read_values(op, renamed)
    copies = [
        Operator(
            block, op.type, _renamed(op.inputs, renamed), _renamed(op.outputs, renamed),
            {**op.attrs, ROLE: int(OpRole.Backward)}, op.site,
        )
        for op in segment
        if not again.isdisjoint(op.output_arg_names)
    ]  # fmt: skip
    for name, new in renamed.items():
        like = block.var(name)
        block.create_var(
            name=new, type=like.type, shape=like.shape, dtype=like.dtype, lod_level=like.lod_level,
            stop_gradient=like.stop_gradient,
        )  # fmt: skip
    block.ops[first:first] = copies
    block.program.touch()


def _repeatable(block: Block, op: Operator) -> bool:
    """Whether running it again gives the same and changes nothing else."""
    definition = op.definition
    if definition is None or op.sub_block is not None or definition.side_effect:
        return False
    drawn_alike = op.type == "dropout" and (op.input("Seed") or op.attrs.get("fix_seed") or op.attrs.get("is_test"))
    if definition.random is not None and not drawn_alike:
        return False
    outputs = [block.find_var(name) for name in op.output_arg_names]
    return not any(var is None or var.persistable for var in outputs) and not definition.inplace


def _read_values(op: Operator) -> set[str]:
    """What an operator reads for its values, not for shapes alone."""
    return {name for slot, names in op.inputs.items() if slot not in _shape_slots(op) for name in names}


def _rename_read_values(op: Operator, renamed: dict[str, str]) -> None:
    shapes = _shape_slots(op)
    op.inputs = {
        slot: names if slot in shapes else [renamed.get(name, name) for name in names]
        for slot, names in op.inputs.items()
    }


def _shape_slots(op: Operator) -> set[str]:
    definition = op.definition
    if definition is None:
        return set()
    kinds: dict[str, set[str]] = {}
    for param in definition.params:
        kinds.setdefault(definition.inputs[param.slot].name, set()).add(param.kind)
    return {slot for slot, found in kinds.items() if found == {"shape"}}


def _renamed(slots: dict[str, list[str]], renamed: dict[str, str]) -> dict[str, list[str]]:
    return {slot: [renamed.get(name, name) for name in names] for slot, names in slots.items()}


def _maker(ops: list[Operator], name: str) -> int:
    return max(position for position, op in enumerate(ops) if name in op.output_arg_names)
