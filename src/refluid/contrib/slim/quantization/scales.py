"""Operators that make integers of variables, and numbers of integers, as nodes of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.contrib.quantize.kinds import FIRST_SCALE, attributes, states
from refluid.contrib.slim.quantization.editing import Editor
from refluid.core import unique_name
from refluid.ir.graph_view import IrVarNode
from refluid.ops.quantize.levels import top

QuantizedAndScale = tuple[IrVarNode, IrVarNode]


class Quantizing:
    """Puts fake quantizations into a graph.

    Args:
        step: the node of the variable that counts runs, for "range_abs_max".
        prefix: what names of variables that are remembered begin with.
    """

    def __init__(
        self, editor: Editor, is_test: bool, window: int = 10000, rate: float = 0.9, step: Any = None, prefix: str = ""
    ):
        self._editor, self._is_test = editor, is_test
        self._window, self._rate, self._step, self._prefix = window, rate, step, prefix

    def by_batch(self, node: IrVarNode, name: str, bits: int, channels: int | None = None) -> QuantizedAndScale:
        """By the largest number there is now: of all, or of each of so many channels, the first axis."""
        out = self._editor.like(f"{name}.quantized", node)
        scale = self._editor.like(f"{name}.scale", node, [1 if channels is None else channels])
        kind = "fake_quantize_abs_max" if channels is None else "fake_channel_wise_quantize_abs_max"
        self._editor.operator(kind, {"X": node}, {"Out": out, "OutScale": scale}, bit_length=bits)
        return out, scale

    def by_kind(self, node: IrVarNode, name: str, bits: int, kind: str) -> QuantizedAndScale:
        if kind == "abs_max":
            return self.by_batch(node, name, bits)
        return self.remembering(node, f"{name}.quantized", f"{name}.scale", bits, kind, f"fake_quantize_{kind}")

    def remembering(
        self, node: IrVarNode, out_name: str, scale_name: str, bits: int, kind: str, operator: str
    ) -> QuantizedAndScale:
        """By a scale that is remembered from run to run; a graph for testing has no state but the scale."""
        out = self._editor.like(out_name, node)
        scale = self._editor.persistable(scale_name, node.dtype(), np.array([FIRST_SCALE]))
        ins, outs = {"X": node, "InScale": scale}, {"Out": out, "OutScale": self._editor.next_version(scale)}
        if not self._is_test:
            for state in states(kind, self._window):
                value = np.full([state.size], state.value)
                state_node = self._editor.persistable(
                    unique_name.generate(self._prefix + state.name), node.dtype(), value
                )
                if state.source is not None:
                    ins[state.source] = state_node
                outs[state.target] = state_node if state.source is None else self._editor.next_version(state_node)
            if kind == "range_abs_max":
                ins["Iter"] = self._step
        attrs = attributes(kind, bits, self._window, self._rate, self._is_test)
        self._editor.operator(operator, ins, outs, **attrs)
        return out, outs["OutScale"]

    def numbers(self, integers: IrVarNode, scale: IrVarNode, bits: int, by_channel: bool = False) -> IrVarNode:
        """What integers stand for."""
        out = self._editor.like(f"{integers.name()}.dequantized", integers)
        if by_channel:
            ins: dict[str, Any] = {"X": integers, "Scales": [scale]}
            self._editor.operator("fake_channel_wise_dequantize_max_abs", ins, {"Out": out}, quant_bits=[bits])
        else:
            ins = {"X": integers, "Scale": scale}
            self._editor.operator("fake_dequantize_max_abs", ins, {"Out": out}, max_range=float(top(bits)))
        return out
