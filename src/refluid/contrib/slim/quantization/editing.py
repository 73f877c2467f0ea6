"""Editing: what passes do to a graph and to the scope in which its variables live."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.contrib.quantize.weights import set_value
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.ir.graph_view import IrGraph, IrNode, IrOpNode, IrVarNode
from refluid.ir.roles import OpRole

if TYPE_CHECKING:
    from refluid.core.types import Dtype


def in_order(nodes: Iterable[Any]) -> list[Any]:
    """Nodes in the order in which they were made: a set of them has none of its own."""
    return sorted(nodes, key=IrNode.id)


def check_graph(who: str, graph: object) -> None:
    if not isinstance(graph, IrGraph):
        raise ArgumentError(f"{who}: graph must be an IrGraph, got {type(graph).__name__}")


def check_given(who: str, **arguments: object) -> None:
    for name, value in arguments.items():
        if value is None:
            raise ArgumentError(f"{who}: {name} must be given")


class Editor:
    """Puts operators and variables into a graph."""

    def __init__(self, graph: IrGraph, scope: Any, place: Any):
        self.graph, self._scope, self._place = graph, scope, place

    def operator(self, type: str, inputs: dict, outputs: dict, **attrs: Any) -> IrOpNode:
        """A node of an operator with its edges."""
        attrs = {**attrs, "op_role": int(OpRole.Forward)}
        node = self.graph.create_op_node(type, attrs, inputs, outputs)
        for read in _flat(inputs):
            self.graph.link_to(read, node)
        for written in _flat(outputs):
            self.graph.link_to(node, written)
        return node

    def like(self, name: str, node: IrVarNode, shape: Sequence[int] | None = None) -> IrVarNode:
        """A variable of the kind of another."""
        return self.graph.create_var_node(name, node.type(), node.shape() if shape is None else shape, node.dtype())

    def persistable(self, name: str, dtype: Dtype, value: np.ndarray) -> IrVarNode:
        """A persistable variable, whose value is set in the scope."""
        node = self.graph.create_persistable_node(name, VarType.LOD_TENSOR, list(value.shape), dtype)
        check_given(f"the variable {name} of a graph for training", scope=self._scope, place=self._place)
        set_value(self._scope, name, value.astype(kind_of_state(dtype)), self._place)
        return node

    def next_version(self, node: IrVarNode) -> IrVarNode:
        """The next value of the same variable."""
        return self.graph.create_var_node_from_desc(node.var())


def kind_of_state(dtype: Any) -> str:
    """The dtype of scales and the like for variables of a dtype."""
    return {VarType.FP64: "float64", VarType.INT64: "int64"}.get(dtype, "float32")


def remove_unused(graph: IrGraph) -> None:
    """Remove variables that no operator reads or writes."""
    graph.safe_remove_nodes([node for node in graph.all_var_nodes() if not node.inputs and not node.outputs])


def _flat(slots: dict) -> list[IrVarNode]:
    return [node for nodes in slots.values() for node in (nodes if isinstance(nodes, list) else [nodes])]
