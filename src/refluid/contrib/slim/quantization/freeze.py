"""QuantizationFreezePass: a graph for testing whose weights are integers and whose products are scaled afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.contrib.quantize.weights import integers, set_value, value
from refluid.contrib.slim.quantization.editing import Editor, check_given, check_graph, in_order, remove_unused
from refluid.contrib.slim.quantization.operators import (
    CONVOLUTIONS,
    FAKE_DEQUANTIZE,
    FAKE_QUANTIZE,
    WITH_WEIGHT_TYPES,
    WITH_WEIGHTS,
    marked,
)
from refluid.contrib.slim.quantization.transform import BY_CHANNEL
from refluid.core import unique_name
from refluid.core.errors import ArgumentError
from refluid.ir.graph import Node
from refluid.ir.graph_view import IrGraph, IrOpNode, IrVarNode
from refluid.ops.quantize.levels import top

if TYPE_CHECKING:
    from refluid.core.places import Place
    from refluid.tensor.scope import Scope


class QuantizationFreezePass:
    """Makes integers of the weights in the scope, once, and lets operators compute with them.

    Args:
        scope, place: where the weights are.
        weight_bits, activation_bits, weight_quantize_type: as QuantizationTransformPass had them.
        quantizable_op_type: not read: the transformed operators are marked.
    """

    _supported_quantizable_op_type = WITH_WEIGHT_TYPES  # of 1.7, where tools ask each pass

    def __init__(
        self,
        scope: Scope,
        place: Place,
        weight_bits: int = 8,
        activation_bits: int = 8,
        weight_quantize_type: str = "abs_max",
        quantizable_op_type: Sequence[str] | None = None,
    ):
        check_given("QuantizationFreezePass", scope=scope, place=place)
        self._scope, self._place = scope, place
        self._weight_bits, self._activation_bits = weight_bits, activation_bits
        self._kind = weight_quantize_type

    def apply(self, graph: IrGraph) -> IrGraph:
        """Rewrite a graph for testing that QuantizationTransformPass has transformed."""
        check_graph("QuantizationFreezePass", graph)
        weights = {node.name() for node in graph.all_persistable_nodes()}
        scales: dict[str, Any] = {}  # of each variable: numbers for a weight, else a node
        origin: dict[Node, IrVarNode] = {}  # output of a removed operator -> its input
        for op in in_order(graph.all_op_nodes()):
            if op.name() in FAKE_QUANTIZE:
                self._read_scale(graph, op, weights, scales, origin)
        for op in in_order(graph.all_op_nodes()):
            if op.name() in FAKE_DEQUANTIZE:
                _remove_quantizer(graph, op, origin)
        ops = in_order(graph.all_op_nodes())
        scaled: dict[Node, IrVarNode] = {}  # a product -> the scaled one
        for op in ops:
            if marked(op.op(), WITH_WEIGHTS):
                self._scale_product(graph, op, weights, scales, origin, scaled)
        for op in ops:
            for node in op.inputs:
                if node.node in scaled:
                    graph.update_input_link(node, scaled[node.node], op)
        remove_unused(graph)
        graph.resolve_hazard()
        return graph

    def _read_scale(
        self, graph: IrGraph, op: IrOpNode, weights: set[str], scales: dict[str, Any], origin: dict[Node, IrVarNode]
    ) -> None:
        (name,), (scale,) = op.input("X"), op.output("OutScale")
        name = getattr(graph, "out_node_mapping_table", {}).get(name, name)
        if name not in weights:
            scales[name] = graph._find_node_by_name(op.outputs, scale)
            return
        weight = value(self._scope, name)
        if self._kind == "abs_max" or (self._kind == BY_CHANNEL and weight.ndim != 4):
            scales[name] = np.abs(weight).max()
        elif self._kind == BY_CHANNEL:
            scales[name] = np.abs(weight).max(axis=(1, 2, 3))
        else:
            scales[name] = value(self._scope, scale)[0]
        set_value(self._scope, name, integers(weight, scales[name], self._weight_bits), self._place)
        _remove_quantizer(graph, op, origin)

    def _scale_product(
        self, graph: IrGraph, op: IrOpNode, weights: set[str], scales: dict[str, Any], origin: dict[Node, IrVarNode],
        scaled: dict[Node, IrVarNode],
    ) -> None:  # fmt: skip
        """Let the operator read integers, and put an operator behind it that makes numbers of its result."""
        weight_scale, scale = None, None
        for node in op.inputs:
            if node.name() not in op.input_arg_names():
                continue
            if node.node in origin:
                graph.update_input_link(node, origin[node.node], op)
            name = _original(node.name())
            if name in weights:
                weight_scale = scales.get(name)
            else:
                scale = scales.get(name)
        if weight_scale is None or scale is None:
            raise ArgumentError(
                f"QuantizationFreezePass: {op.name()} {op.output_arg_names()[0]} has no quantized weight and input; "
                "apply QuantizationTransformPass first, with the same settings"
            )
        if len(op.output_arg_names()) != 1:
            raise ArgumentError(f"QuantizationFreezePass: {op.name()} has several outputs: {op.output_arg_names()}")
        out = graph._find_node_by_name(op.outputs, op.output_arg_names()[0])
        by_channel = self._kind == BY_CHANNEL and op.name() in CONVOLUTIONS
        scaled[out.node] = self._numbers(Editor(graph, self._scope, self._place), out, weight_scale, scale, by_channel)

    def _numbers(self, editor: Editor, out: IrVarNode, weight_scale: Any, scale: object, by_channel: bool) -> IrVarNode:
        numbers = editor.like(f"{out.name()}.dequantized", out)
        if by_channel:
            channel_scales = editor.persistable(
                unique_name.generate("channel_scale"), out.dtype(), np.asarray(weight_scale)
            )
            bits = [self._weight_bits, self._activation_bits]
            ins = {"X": out, "Scales": [channel_scales, scale]}
            editor.operator("fake_channel_wise_dequantize_max_abs", ins, {"Out": numbers}, quant_bits=bits)
        else:
            steps = top(self._weight_bits) / float(weight_scale) * top(self._activation_bits)
            ins = {"X": out, "Scale": scale}
            editor.operator("fake_dequantize_max_abs", ins, {"Out": numbers}, max_range=steps)
        return numbers


def _remove_quantizer(graph: IrGraph, op: IrOpNode, origin: dict[Node, IrVarNode]) -> None:
    gave = graph._find_node_by_name(op.outputs, op.output("Out")[0])
    read = graph._find_node_by_name(op.inputs, op.input("X")[0])
    origin[gave.node] = origin.get(read.node, read)
    graph.safe_remove_nodes(op)


def _original(name: str) -> str:
    """The variable that was quantized: "x" of "x.quantized.dequantized"."""
    return name.removesuffix(".dequantized").removesuffix(".quantized").removesuffix(".scale")
