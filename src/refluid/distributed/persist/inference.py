"""An inference model out of a trainer's program: look-ups at servers become look-ups in parameters of its own."""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import VarType
from refluid.distributed.persist.fetch import fetched
from refluid.distributed.persist.save import remote_variables, tables_of
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.ops.nn.lookup_table import LOOKUP_TABLES

_WHAT = "save_inference_model"


def for_one_machine(program: Program, trained: Program) -> dict[str, Any]:
    """Rewrite a pruned program so that it needs no servers; returns the values that they hold of its parameters.

    Args:
        program: what is left of a trainer's program for inference; it is changed.
        trained: the trainer's program.
    """
    look_up_locally(program, trained)
    tables = tables_of(trained)
    block = program.global_block()
    for name in [name for name in block.vars if not _is_used(block, name)]:
        if block.vars[name].persistable and name in {*tables, *remote_variables(trained)}:
            block._remove_var(name)
    program.touch()
    return fetched(_WHAT, trained, block.vars)


def look_up_locally(program: Program, trained: Program) -> None:
    """Put look-ups in variables of the program in the place of those at servers."""
    tables = tables_of(trained)
    block = program.global_block()
    for name in tables:
        _declare_rows(block, trained.global_block()._var_recursive(name))
    for op in list(block.ops):
        if op.type == "distributed_lookup_table":
            _look_up_here(block, op)
        elif op.type == "prefetch":
            _look_up_table(block, op, tables)
        elif op.definition in LOOKUP_TABLES and op.input("W")[0] in tables:
            index = block.ops.index(op)
            block.ops.remove(op)
            _look_up_rows(block, index, op.input("W")[0], op.input("Ids")[0], op.output("Out")[0])
    program.touch()


def _declare_rows(block: Block, table: Variable) -> None:
    if block.has_var(table.name):
        block._remove_var(table.name)
    block.create_var(
        name=table.name, persistable=True, shape=table.shape, dtype=table.dtype, type=VarType.SELECTED_ROWS
    )


def _look_up_here(block: Block, op: Operator) -> None:
    position = block.ops.index(op)
    kind, weight = op.attrs["lookup_table_version"], op.input("W")[0]
    block.ops.remove(op)
    for number, (ids, out) in enumerate(zip(op.input("Ids"), op.output("Outputs"), strict=True)):
        attrs = {"padding_idx": op.attrs["padding_idx"]}
        block._insert_op(position + number, kind, {"Ids": [ids], "W": [weight]}, {"Out": [out]}, attrs)


def _look_up_table(block: Block, prefetch: Operator, tables: list[str]) -> None:
    """split_ids, prefetch and merge_ids become a look-up for each variable of ids."""
    split = next(op for op in block.ops if op.type == "split_ids" and op.output("Out") == prefetch.input("X"))
    merge = next(op for op in block.ops if op.type == "merge_ids" and op.input("X") == prefetch.output("Out"))
    index = block.ops.index(merge) + 1
    for ids, out in zip(merge.input("Ids"), merge.output("Out"), strict=True):
        index += _look_up_rows(block, index, tables[0], ids, out)
    for op in (split, prefetch, merge):
        block.ops.remove(op)


def _look_up_rows(block: Block, position: int, table: str, ids: str, out: str) -> int:
    """Insert a look-up in a table with rows by any id; returns the number of operators."""
    whole = block._var_recursive(table)
    shape = list(block._var_recursive(out).shape)
    flat = (
        out if len(shape) == 2 else block.create_var(name=f"{out}.rows", shape=[-1, shape[-1]], dtype=whole.dtype).name
    )
    attrs = {"is_test": True, "padding_idx": -1}
    block._insert_op(position, "lookup_sparse_table", {"Ids": [ids], "W": [table]}, {"Out": [flat]}, attrs)
    if flat == out:
        return 1
    sizes = [-1 if i == 0 else size for i, size in enumerate(shape)]
    block._insert_op(position + 1, "reshape", {"X": [flat]}, {"Out": [out]}, {"shape": sizes})
    return 2


def _is_used(block: Block, name: str) -> bool:
    return any(name in op.input_arg_names or name in op.output_arg_names for op in block.ops)
