"""Finds the embedding of a program that servers hold (`is_distributed=True`)."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import EnforceNotMet

LOOKUP_TABLE_TYPE = ("lookup_table", "lookup_table_v2")


def _look_ups(program: Any) -> list[Any]:
    return [op for op in program.global_block().ops if op.type in LOOKUP_TABLE_TYPE]


def find_distributed_lookup_table(program: Any) -> str | None:
    """The name of the table; None if there is none, an error if there are several."""
    tables = {op.input("W")[0] for op in _look_ups(program) if op.attr("is_distributed")}
    if len(tables) > 1:
        raise EnforceNotMet(f"a program may have one distributed table, this one has {', '.join(sorted(tables))}")
    return next(iter(tables), None)


def find_distributed_lookup_table_inputs(program: Any, table_name: str) -> list[Any]:
    """The ids that are looked up in a table."""
    return _variables(program, table_name, lambda op: op.input("Ids"))


def find_distributed_lookup_table_outputs(program: Any, table_name: str) -> list[Any]:
    """The rows that are looked up in a table."""
    return _variables(program, table_name, lambda op: op.output("Out"))


def _variables(program: Any, table_name: str, names: Any) -> list[Any]:
    found = [name for op in _look_ups(program) if op.input("W")[0] == table_name for name in names(op)]
    return [program.current_block().vars[name] for name in found]
