"""Finds the embedding of a program that servers hold (`is_distributed=True`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from refluid.core.errors import EnforceNotMet
from refluid.ops.nn.lookup_table import LOOKUP_TABLES

if TYPE_CHECKING:
    from refluid.ir.operator import Operator
    from refluid.ir.program import Program

LOOKUP_TABLE_TYPE = tuple(op.type for op in LOOKUP_TABLES)


def _look_ups(program: Program) -> list[Any]:
    return [op for op in program.global_block().ops if op.type in LOOKUP_TABLE_TYPE]


def find_distributed_lookup_table(program: Program) -> str | None:
    """The name of the table; None if there is none, an error if there are several."""
    tables = {op.input("W")[0] for op in _look_ups(program) if op.attr("is_distributed")}
    if len(tables) > 1:
        raise EnforceNotMet(f"a program may have one distributed table, this one has {', '.join(sorted(tables))}")
    return next(iter(tables), None)


def find_distributed_lookup_table_inputs(program: Program, table_name: str) -> list[Any]:
    """The ids that are looked up in a table."""
    return _variables(program, table_name, lambda op: op.input("Ids"))


def find_distributed_lookup_table_outputs(program: Program, table_name: str) -> list[Any]:
    """The rows that are looked up in a table."""
    return _variables(program, table_name, lambda op: op.output("Out"))


def _variables(program: Program, table_name: str, names: Callable[[Operator], Iterable[str]]) -> list[Any]:
    found = [name for op in _look_ups(program) if op.input("W")[0] == table_name for name in names(op)]
    return [program.current_block().vars[name] for name in found]
