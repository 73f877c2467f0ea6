"""Computes constants once: a `fill_constant` with fixed attributes gives the same tensor every run."""

from __future__ import annotations

import torch

from refluid.core.errors import EnforceNotMet
from refluid.executor.codegen import emits
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.source import Source
from refluid.ops.registry import define
from refluid.ops.shape.fill_constant import fill_constant

MOST = 1024  # elements: a larger constant would stay in memory between runs


def fold_constants(graph: Graph, device: torch.device) -> None:
    """The seeds of gradients and the numbers of a program become values that the plan holds.

    Constants that a node changes in place are left alone.
    """
    for i, node in enumerate(graph.nodes):
        output = node.output()
        if node.op is not fill_constant or node.kernel is not None or any(node.inputs) or output is None:
            continue
        # The value of a variable that bodies carry may be changed in one of them.
        if output.persistable or any(reader.body is not None for reader in output.readers) or any(output.overwriters()):
            continue
        try:
            value = node.op.kernel(None, None, None, **node.attrs, device=device)
        except EnforceNotMet:
            continue  # the plan's line will say what is wrong, and where it was built
        if value.numel() <= MOST:
            graph.nodes[i] = graph.adopt(Node(_Constant, node.operator, [], [[output]], {"value": value}))


def _constant() -> None: ...


# Not registered: it exists in plans only, and has its value in the attributes of the node.
_Constant = define(_constant, "Out", type="constant", lod=None, nograd="*")


@emits(_Constant)
def _emit(source: Source, node: Node, indent: int) -> None:
    (output,) = node.writes()
    local = source.define(output)
    source.line(f"{local} = {source.constant(node.attrs['value'], f'{local}_value')}", node, indent)
