"""Switch: blocks of which the first runs whose condition holds, as `conditional_block` operators."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import refluid.executor.control_flow  # noqa: F401  # registers conditional_block
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.ir import program as programs
from refluid.ir.block import Block
from refluid.ops.math.logical import logical_and, logical_not


class Switch:
    """`with switch.case(condition):` for each case, then `with switch.default():`."""

    def __init__(self) -> None:
        self._none_so_far: Any = None  # a variable: none of the conditions has held

    def __enter__(self) -> Switch:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    @contextlib.contextmanager
    def case(self, condition: Any) -> Iterator[None]:
        other = logical_not(condition)
        before = self._none_so_far
        self._none_so_far = other if before is None else logical_and(before, other)
        with conditional(condition if before is None else logical_and(before, condition)):
            yield

    @contextlib.contextmanager
    def default(self) -> Iterator[None]:
        if self._none_so_far is None:
            raise ArgumentError("Switch: default() must come after a case()")
        with conditional(self._none_so_far):
            yield


@contextlib.contextmanager
def conditional(condition: Any) -> Iterator[None]:
    """The operators written inside go into a block that runs if `condition` (one element) is true."""
    program = programs.default_main_program()
    inside = program._create_block()
    try:
        yield
    finally:
        program._rollback()
    outside = program.current_block()
    reads, writes = _border(inside)
    scope = outside.create_var(type=VarType.STEP_SCOPES)
    outside.append_op(
        "conditional_block",
        {"Cond": [condition], "Input": reads},
        {"Out": writes, "Scope": [scope]},
        {"sub_block": inside, "is_scalar_condition": True},
    )


def _border(inside: Block) -> tuple[list[str], list[str]]:
    """The names that a block reads from outside before writing them, and the outer variables that it writes."""
    reads: dict[str, None] = {}
    written: dict[str, None] = {}
    for op in inside.ops:
        reads.update(dict.fromkeys(name for name in op.input_arg_names if name not in written))
        written.update(dict.fromkeys(op.output_arg_names))
    assert inside.parent is not None
    return list(reads), [name for name in written if inside.parent.find_var(name) is not None]
