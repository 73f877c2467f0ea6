"""OutScaleForTrainingPass and OutScaleForInferencePass: scales of the results of operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.contrib.quantize.kinds import states
from refluid.contrib.quantize.weights import value
from refluid.contrib.slim.quantization.editing import Editor, check_graph, in_order
from refluid.contrib.slim.quantization.operators import OUT_SCALE, output_names
from refluid.core import unique_name
from refluid.core.errors import ArgumentError
from refluid.ir.graph_view import IrGraph, IrVarNode

if TYPE_CHECKING:
    from refluid.core.places import Place


class OutScaleForTrainingPass:
    """Keeps an average of the largest absolute value of each result, `x@scale`, while a graph trains.

    Args:
        scope, place: where the scales get their first values.
        moving_rate: how much of the average is kept from batch to batch.
    """

    def __init__(self, scope: Any = None, place: Place | None = None, moving_rate: float = 0.9):
        self._scope, self._place, self._moving_rate = scope, place, moving_rate

    def apply(self, graph: IrGraph) -> IrGraph:
        check_graph("OutScaleForTrainingPass", graph)
        editor = Editor(graph, self._scope, self._place)
        for op in in_order(graph.all_op_nodes()):
            if op.name() in OUT_SCALE:
                for name in output_names(op):
                    self._watch(editor, graph._find_node_by_name(op.outputs, name))
        graph.resolve_hazard()
        return graph

    def _watch(self, editor: Editor, node: IrVarNode) -> None:
        scale = editor.persistable(f"{node.name()}@scale", node.dtype(), np.ones([1]))
        ins, outs = {"X": node}, {"Out": editor.next_version(node), "OutScale": scale}
        is_test = editor.graph.is_test()
        for state in [] if is_test else states("moving_average_abs_max", 1):
            state_node = editor.persistable(unique_name.generate(f"scale_{state.name}@"), node.dtype(), np.ones([1]))
            ins[str(state.source)], outs[state.target] = state_node, editor.next_version(state_node)
        editor.operator("moving_average_abs_max_scale", ins, outs, moving_rate=self._moving_rate, is_test=is_test)


class OutScaleForInferencePass:
    """Writes the scales that a training has found to the operators of a graph, as the attribute `out_threshold`.

    Args:
        scope: where the scales are.
    """

    def __init__(self, scope: Any = None):
        self._scope = scope

    def apply(self, graph: IrGraph) -> IrGraph:
        check_graph("OutScaleForInferencePass", graph)
        for op in in_order(graph.all_op_nodes()):
            if op.name() in OUT_SCALE:
                names = output_names(op)
                if len(names) != 1:
                    raise ArgumentError(f"OutScaleForInferencePass: {op.name()} must have one result, got {names}")
                op.op()._set_attr("out_threshold", float(value(self._scope, f"{names[0]}@scale")[0]))
        graph.resolve_hazard()
        return graph
