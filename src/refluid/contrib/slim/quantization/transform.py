"""QuantizationTransformPass: products and convolutions that compute with what integers of their inputs stand for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from refluid.contrib.quantize.kinds import KINDS
from refluid.contrib.slim.quantization.custom import insert_function
from refluid.contrib.slim.quantization.editing import Editor, check_graph, in_order
from refluid.contrib.slim.quantization.operators import (
    CONVOLUTIONS,
    WITH_WEIGHT_TYPES,
    WITH_WEIGHTS,
    WITHOUT_WEIGHTS,
    input_names as computed_from,
    marked,
    skipped,
)
from refluid.contrib.slim.quantization.scales import Quantizing
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.ir.graph_view import IrGraph, IrOpNode, IrVarNode

if TYPE_CHECKING:
    from refluid.core.places import Place
    from refluid.executor.executor import Executor
    from refluid.tensor.scope import Scope

BY_CHANNEL = "channel_wise_abs_max"
COUNTER = "@STEP_COUNTER@"


class QuantizationTransformPass:
    """Inserts quantization and dequantization before operators that have weights, for quantization-aware training.

    Args:
        scope, place: where scales that are remembered get their first values.
        weight_bits, activation_bits: of weights, and of what they are multiplied with.
        activation_quantize_type: "abs_max", "range_abs_max" or "moving_average_abs_max".
        weight_quantize_type: one of those, or "channel_wise_abs_max", a scale for each filter.
        window_size, moving_rate: of "range_abs_max" and of "moving_average_abs_max".
        skip_pattern: operators in name scopes that contain it stay as they are.
        quantizable_op_type: of "conv2d", "depthwise_conv2d", "mul", "matmul".
        weight_quantize_func, act_quantize_func: functions from a variable to the quantized one, in place of the above.
        weight_preprocess_func, act_preprocess_func: functions that are put in front of it.
        optimizer_func, executor: of parameters that these functions make: a function that gives an optimizer, and what
            runs their startup program.
    """

    _supported_quantizable_op_type = WITH_WEIGHT_TYPES

    def __init__(
        self,
        scope: Scope | None = None,
        place: Place | None = None,
        weight_bits: int = 8,
        activation_bits: int = 8,
        activation_quantize_type: str = "abs_max",
        weight_quantize_type: str = "abs_max",
        window_size: int = 10000,
        moving_rate: float = 0.9,
        skip_pattern: str | Sequence[str] = ["skip_quant"],
        quantizable_op_type: list[str] = ["conv2d", "depthwise_conv2d", "mul"],
        weight_quantize_func: Callable | None = None,
        act_quantize_func: Callable | None = None,
        weight_preprocess_func: Callable | None = None,
        act_preprocess_func: Callable | None = None,
        optimizer_func: Callable | None = None,
        executor: Executor | None = None,
    ):
        _check("activation_quantize_type", activation_quantize_type, KINDS)
        _check("weight_quantize_type", weight_quantize_type, (*KINDS, BY_CHANNEL))
        for type in quantizable_op_type:
            _check("quantizable_op_type", type, self._supported_quantizable_op_type)
        self._scope, self._place = scope, place
        self._bits = {True: weight_bits, False: activation_bits}  # by whether it is a weight
        self._kinds = {True: weight_quantize_type, False: activation_quantize_type}
        self._functions = {True: weight_quantize_func, False: act_quantize_func}
        self._preparing = {True: weight_preprocess_func, False: act_preprocess_func}
        self._window_size, self._moving_rate = window_size, moving_rate
        self._skip_pattern, self._types = skip_pattern, quantizable_op_type
        self._optimizer, self._exe = optimizer_func, executor

    def apply(self, graph: IrGraph) -> IrGraph:
        """Rewrite the graph of a program for training, or for testing (`IrGraph(..., for_test=True)`)."""
        check_graph("QuantizationTransformPass", graph)
        editor = Editor(graph, self._scope, self._place)
        step = None if graph.is_test() else self._step_counter(editor)
        quantizing = Quantizing(editor, graph.is_test(), self._window_size, self._moving_rate, step)
        graph.out_node_mapping_table = {}  # type: ignore[attr-defined]  # for the pass that freezes
        weights = {node.name() for node in graph.all_persistable_nodes()}
        ops = in_order(graph.all_op_nodes())
        for op in ops:
            if op.name().removesuffix("_grad") in self._types and skipped(op.op(), self._skip_pattern):
                op.op()._set_attr("skip_quant", True)
        standing_for: dict[str, IrVarNode] = {}
        by_functions: set[str] = set()
        for op in ops:
            if op.name() in self._types and not _stays(graph, op):
                self._transform(editor, quantizing, op, weights, standing_for, by_functions)
        for op in ops:
            if op.name().endswith("_grad") and op.name().removesuffix("_grad") in self._types:
                read_instead(graph, op, standing_for)
        graph.resolve_hazard()
        return graph

    def _transform(
        self, editor: Editor, quantizing: Quantizing, op: IrOpNode, weights: set[str],
        standing_for: dict[str, IrVarNode], by_functions: set[str],
    ) -> None:  # fmt: skip
        op.op()._set_attr(*WITH_WEIGHTS)
        for node in op.inputs:
            name, weight = node.name(), node.name() in weights
            if name not in op.input_arg_names() or name in by_functions:
                continue
            if name not in standing_for:
                node = self._custom(self._preparing[weight], editor, node, op)
                if self._functions[weight] is not None:
                    self._custom(self._functions[weight], editor, node, op)
                    by_functions.add(name)
                    continue
                # Fluid: a weight that was prepared by a function counts as an activation.
                bits = self._bits[node.name() in weights]
                standing_for[name] = self._quantized(quantizing, node, name, bits, self._kinds[weight], op)
            editor.graph.update_input_link(node, standing_for[name], op)

    def _custom(self, function: Callable | None, editor: Editor, node: IrVarNode, op: IrOpNode) -> IrVarNode:
        if function is None:
            return node
        return insert_function(editor.graph, function, node, op, self._scope, self._exe, self._optimizer)

    def _quantized(
        self, quantizing: Quantizing, node: IrVarNode, name: str, bits: int, kind: str, op: IrOpNode
    ) -> IrVarNode:
        if kind == BY_CHANNEL and op.name() in CONVOLUTIONS:
            integers, scale = quantizing.by_batch(node, name, bits, channels=node.shape()[0])
            return quantizing.numbers(integers, scale, bits, by_channel=True)
        integers, scale = quantizing.by_kind(node, name, bits, "abs_max" if kind == BY_CHANNEL else kind)
        return quantizing.numbers(integers, scale, bits)

    def _step_counter(self, editor: Editor) -> IrVarNode | None:
        """The variable that counts runs; one that the program has is used."""
        if "range_abs_max" not in self._kinds.values():
            return None
        counters = [node for node in editor.graph.all_var_nodes() if node.name() == COUNTER]
        if counters:
            return in_order(counters)[-1]
        counter = editor.persistable(COUNTER, VarType.INT64, np.zeros([1], "int64"))
        counted = editor.next_version(counter)
        editor.operator("increment", {"X": counter}, {"Out": counted}, step=1.0)
        return counted


def _stays(graph: IrGraph, op: IrOpNode) -> bool:
    """Whether the operator is skipped: by the user's wish, for another pass, or because it has no weights."""
    desc = op.op()
    if marked(desc, ("skip_quant", True)) or marked(desc, WITHOUT_WEIGHTS):
        return True
    return op.name() in ("mul", "matmul") and not reads_weights(graph, op)


def reads_weights(graph: IrGraph, op: IrOpNode) -> bool:
    return any(graph._find_node_by_name(op.inputs, name).persistable() for name in computed_from(op))


def read_instead(graph: IrGraph, op: IrOpNode, standing_for: dict[str, IrVarNode]) -> None:
    for node in op.inputs:
        if node.name() in standing_for and node.name() in op.input_arg_names():
            graph.update_input_link(node, standing_for[node.name()], op)


def _check(argument: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise ArgumentError(f"QuantizationTransformPass: {argument} must be of {', '.join(known)}, got {value!r}")
