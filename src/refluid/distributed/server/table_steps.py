"""A pass over plans: variables of type SELECTED_ROWS that a program keeps are tables.

What initialises such a variable makes a table without rows that knows how they begin, and what updates it updates the
rows of its gradient. So a startup program of a server allocates no memory for rows that are not used.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

from refluid.core.dtypes import TORCH, VarType
from refluid.core.errors import ArgumentError
from refluid.distributed.server.row_init import INITIALIZERS, RowInit
from refluid.distributed.server.row_updates import row_states, updates_rows
from refluid.distributed.server.table import Table
from refluid.distributed.server.table_rows import TableRows
from refluid.executor import passes
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.ir.block import Block
from refluid.tensor.selected_rows import SelectedRows


def keep_tables(graph: Graph) -> None:
    """Give nodes that make or update a table kernels for tables."""
    for node in graph.nodes:
        value = next(node.writes(), None)
        if value is None or not _is_table(value):
            continue
        if node.op.type in INITIALIZERS:
            node.kernel, node.label = _beginning(node, graph.block, value.name), f"begin_{node.op.type}"
        elif updates_rows(node.op.type):
            node.kernel, node.label = _update(node), f"{node.op.type}_of_rows"


def _is_table(value: Value) -> bool:
    return value.persistable and value.variable is not None and value.variable.type == VarType.SELECTED_ROWS


def _beginning(node: Node, block: Block, name: str) -> Callable[..., Any]:
    var, attrs = block._var_recursive(name), node.operator.attrs
    # Without a seed of its own, a table has one by its name: rows of one id differ from table to table.
    seed = zlib.crc32(name.encode()) ^ (block.program.random_seed << 32)
    init = RowInit.of_op(node.op.type, attrs, seed)

    def begin(*values: object, **options: object) -> TableRows:
        height, *shape = attrs["shape"]
        return TableRows(Table(name, tuple(shape), init, dtype=TORCH[var.dtype], dict_size=height))

    return begin


def _update(node: Node) -> Callable[..., None]:
    op, slots = node.op, [node.op.inputs[param.slot].name for param in node.op.params]
    states = {"Param", *row_states(op.type)}

    def update(*values: Any, **attrs: Any) -> None:
        inputs = dict(zip(slots, values, strict=True))
        table, grad = inputs.pop("Param"), inputs.pop("Grad")
        if not isinstance(table, TableRows) or not isinstance(grad, SelectedRows):
            kinds = f"{type(table).__name__} with a gradient {type(grad).__name__}"
            raise ArgumentError(f"Param must be a table with a sparse gradient, got a {kinds}")
        shared = {slot: value for slot, value in inputs.items() if slot not in states and value is not None}
        table.table.update(op.type, grad.index, grad.value, shared, attrs)

    return update


passes.of_other_folders.append(keep_tables)
