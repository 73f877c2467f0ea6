"""The variables of a graph that stay from run to run, in files of their own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from refluid.core.dtypes import VarType
from refluid.ir.graph_view import IrGraph
from refluid.ir.variable import Variable
from refluid.saving.files import inside
from refluid.saving.variables import load_vars, save_vars

if TYPE_CHECKING:
    from refluid.executor.executor import Executor

_WITHOUT_VALUES = (VarType.FEED_MINIBATCH, VarType.FETCH_LIST, VarType.READER, VarType.RAW)


def _save_persistable_nodes(executor: Executor, dirname: str, graph: IrGraph) -> None:
    """Save the persistable variables of an IrGraph, a file each."""
    save_vars(executor, dirname, vars=_variables(graph))


def _load_persistable_nodes(executor: Executor, dirname: str, graph: IrGraph) -> None:
    """Load those of them that have a file."""
    there = [var for var in _variables(graph) if os.path.exists(inside(dirname, var.name))]
    load_vars(executor, dirname, vars=there)


def _variables(graph: IrGraph) -> list[Variable]:
    nodes = [node for node in graph.all_persistable_nodes() if node.type() not in _WITHOUT_VALUES]
    by_name = {node.name(): node.var().of for node in sorted(nodes, key=lambda node: node.id())}
    return list(by_name.values())
