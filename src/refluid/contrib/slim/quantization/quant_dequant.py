"""AddQuantDequantPass: operators without weights that compute with what integers of their inputs stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from refluid.contrib.slim.quantization.editing import Editor, check_given, check_graph, in_order
from refluid.contrib.slim.quantization.operators import WITH_WEIGHTS, WITHOUT_WEIGHTS, input_names, marked, skipped
from refluid.contrib.slim.quantization.scales import Quantizing
from refluid.contrib.slim.quantization.transform import read_instead, reads_weights
from refluid.core.errors import ArgumentError
from refluid.ir.graph_view import IrGraph, IrOpNode, IrVarNode

if TYPE_CHECKING:
    from refluid.core.places import Place
    from refluid.tensor.scope import Scope

_KIND = "moving_average_abs_max"


class AddQuantDequantPass:
    """Puts `fake_quantize_dequantize_moving_average_abs_max` in front of operators all of whose inputs are activations.

    Args:
        scope, place: where scales get their first values.
        moving_rate, quant_bits: of the average of scales, and of the integers.
        skip_pattern: operators in name scopes that contain it stay as they are.
        quantizable_op_type: which operators.
        is_full_quantized: take all that there are.
    """

    _supported_quantizable_op_type = (
        "pool2d elementwise_add concat softmax argmax transpose equal gather greater_equal greater_than less_equal "
        "less_than mean not_equal reshape reshape2 bilinear_interp nearest_interp trilinear_interp slice squeeze "
        "elementwise_sub mul matmul relu relu6 leaky_relu tanh swish"
    ).split()
    _activation_type = ["relu", "relu6", "leaky_relu", "tanh", "swish"]

    def __init__(
        self,
        scope: Scope | None = None,
        place: Place | None = None,
        moving_rate: float = 0.9,
        quant_bits: int = 8,
        skip_pattern: str | Sequence[str] = ["skip_quant"],
        quantizable_op_type: list[str] = ["elementwise_add", "pool2d"],
        is_full_quantized: bool = False,
    ):
        known = self._supported_quantizable_op_type
        self._types = known if is_full_quantized else quantizable_op_type
        for type in self._types:
            if type not in known:
                raise ArgumentError(
                    f"AddQuantDequantPass: quantizable_op_type must be of {', '.join(known)}, got {type!r}"
                )
        check_given("AddQuantDequantPass", scope=scope, place=place)
        self._scope, self._place = scope, place
        self._moving_rate, self._bits, self._skip_pattern = moving_rate, quant_bits, skip_pattern

    def apply(self, graph: IrGraph) -> IrGraph:
        check_graph("AddQuantDequantPass", graph)
        editor = Editor(graph, self._scope, self._place)
        quantizing = Quantizing(editor, graph.is_test(), rate=self._moving_rate, prefix="quant_dequant.")
        standing_for: dict[str, IrVarNode] = {}
        ops = in_order(graph.all_op_nodes())
        for op in ops:
            if op.name() in self._types and not self._stays(graph, op):
                self._quantize_inputs(graph, quantizing, op, standing_for)
        for op in ops:
            if op.name().endswith("_grad") and op.name().removesuffix("_grad") in self._types:
                read_instead(graph, op, standing_for)
        graph.resolve_hazard()
        return graph

    def _stays(self, graph: IrGraph, op: IrOpNode) -> bool:
        return skipped(op.op(), self._skip_pattern) or marked(op.op(), WITH_WEIGHTS) or reads_weights(graph, op)

    def _quantize_inputs(
        self, graph: IrGraph, quantizing: Quantizing, op: IrOpNode, standing_for: dict[str, IrVarNode]
    ) -> None:
        op.op()._set_attr(*WITHOUT_WEIGHTS)
        op.op()._set_attr("activation_bits", self._bits)
        for name in dict.fromkeys(input_names(op)):
            node = graph._find_node_by_name(op.inputs, name)
            if name not in standing_for:
                out, scale = f"{name}.quant_dequant", f"{name}.quant_dequant.scale"
                operator = f"fake_quantize_dequantize_{_KIND}"
                standing_for[name], _ = quantizing.remembering(node, out, scale, self._bits, _KIND, operator)
            graph.update_input_link(node, standing_for[name], op)
