"""Building blocks of a program: what is built inside a `with` becomes the block of an operator."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from refluid.core.dtypes import VarType
from refluid.executor.blocks.definitions import conditional_block
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ir.operator import EMPTY


@contextlib.contextmanager
def run_if(condition: BaseVariable | Sequence[BaseVariable], is_scalar: bool = True) -> Iterator[Block]:
    """The operators built inside become a block that runs if the condition holds: its one element, or (not scalar)
    that it, or each of several, is not empty."""
    program = programs.default_main_program()
    outer = program.current_block()
    inner = program._create_block()
    try:
        yield inner
    finally:
        program._rollback()
    reads, writes = crossing(inner, outer)
    outer.append_op(
        conditional_block.type, inputs={"Cond": condition, "Input": reads},
        outputs={"Out": writes, "Scope": outer.create_var(type=VarType.STEP_SCOPES)},
        attrs={"sub_block": inner, "is_scalar_condition": is_scalar},
    )  # fmt: skip


@contextlib.contextmanager
def building_in(block: Block) -> Iterator[None]:
    """The operators built inside go to another block of the program."""
    program = block.program
    here, program.current_block_idx = program.current_block_idx, block.idx
    try:
        yield
    finally:
        program.current_block_idx = here


def crossing(inner: Block, outer: Block) -> tuple[list[str], list[str]]:
    """The names of outer variables that a block reads before it writes them, and of those that it writes."""
    reads: dict[str, None] = {}
    writes: dict[str, None] = {}
    for operator in inner.ops:
        for name in operator.input_arg_names:
            if name not in writes:
                reads[name] = None
        writes.update(dict.fromkeys(operator.output_arg_names))
    known = [
        [name for name in names if name != EMPTY and outer.find_var(name) is not None] for names in (reads, writes)
    ]
    return known[0], known[1]
