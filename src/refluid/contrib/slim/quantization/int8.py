"""ConvertToInt8Pass and TransformForMobilePass: frozen graphs for engines that compute with integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from refluid.contrib.quantize.weights import set_value, value
from refluid.contrib.slim.quantization.editing import check_given, check_graph, in_order, remove_unused
from refluid.contrib.slim.quantization.operators import (
    FAKE_DEQUANTIZE,
    FAKE_QUANTIZE,
    WITH_WEIGHT_TYPES,
    WITH_WEIGHTS,
    marked,
)
from refluid.core.dtypes import VarType
from refluid.ir.graph_view import IrGraph, IrVarNode

if TYPE_CHECKING:
    from refluid.core.places import Place
    from refluid.tensor.scope import Scope


class ConvertToInt8Pass:
    """Weights of a frozen graph as int8 variables of their own: `w.int8`.

    Args:
        scope, place: where the weights are.
        quantizable_op_type: not read: the transformed operators are marked.
    """

    _supported_quantizable_op_type = WITH_WEIGHT_TYPES  # of 1.7, where tools ask each pass

    def __init__(self, scope: Scope, place: Place, quantizable_op_type: Sequence[str] | None = None):
        check_given("ConvertToInt8Pass", scope=scope, place=place)
        self._scope, self._place = scope, place

    def apply(self, graph: IrGraph) -> IrGraph:
        check_graph("ConvertToInt8Pass", graph)
        weights = {node.name() for node in graph.all_persistable_nodes()}
        int8_nodes: dict[str, IrVarNode] = {}
        for op in in_order(graph.all_op_nodes()):
            if not marked(op.op(), WITH_WEIGHTS):
                continue
            for node in op.inputs:
                if node.name() in weights:
                    if node.name() not in int8_nodes:
                        int8_nodes[node.name()] = self._as_int8(graph, node)
                    graph.update_input_link(node, int8_nodes[node.name()], op)
        remove_unused(graph)
        graph.resolve_hazard()
        return graph

    def _as_int8(self, graph: IrGraph, node: IrVarNode) -> IrVarNode:
        name = f"{node.name()}.int8"
        set_value(self._scope, name, value(self._scope, node.name()).astype(np.int8), self._place)
        return graph.create_persistable_node(name, node.type(), node.shape(), VarType.INT8)


class TransformForMobilePass:
    """Fake quantizations as the `quantize` and `dequantize` operators that Paddle's engine for phones has."""

    def apply(self, graph: IrGraph) -> IrGraph:
        check_graph("TransformForMobilePass", graph)
        for op in in_order(graph.all_op_nodes()):
            if op.name() in FAKE_QUANTIZE + FAKE_DEQUANTIZE:
                op.set_type("quantize" if op.name() in FAKE_QUANTIZE else "dequantize")
                renamed = graph.create_op_node_from_desc(op.op())
                for node in op.inputs:
                    graph.link_to(node, renamed)
                for node in op.outputs:
                    graph.link_to(renamed, node)
                graph.safe_remove_nodes(op)
        graph.resolve_hazard()
        return graph
