"""The three ways to find the scale of a variable, as operators put into a program."""

from __future__ import annotations

from typing import Any

from refluid.contrib.quantize.kinds import FIRST_SCALE, attributes, states
from refluid.core import unique_name
from refluid.ir.block import Block
from refluid.ir.variable import Variable
from refluid.layers.helper import LayerHelper
from refluid.params.attr import ParamAttr
from refluid.params.initializer import Constant


class Quantizer:
    """Inserts operators that make integers of variables: `x.quantized` and `x.scale` of x.

    Args:
        step: the variable that counts runs, for "range_abs_max".
        window_size, moving_rate: of "range_abs_max" and of "moving_average_abs_max".
    """

    def __init__(self, step: Any, window_size: int, moving_rate: float):
        self._helper = LayerHelper("QuantizeTranspiler")
        self._step, self._window, self._rate = step, window_size, moving_rate

    def insert(self, block: Block, index: int, var: Variable, bits: int, kind: str) -> tuple[Variable, Variable]:
        """(the integers, their scale) of `var`, made at `index` of the block."""
        out = like(block, f"{var.name}.quantized", var)
        if kind == "abs_max":
            scale = like(block, f"{var.name}.scale", var)
            ins, outs = {"X": var}, {"Out": out, "OutScale": scale}
            block._insert_op(index, "fake_quantize_abs_max", ins, outs, {"bit_length": bits})
            return out, scale
        ins, outs = {"X": var}, {"Out": out}
        for state in states(kind, self._window):
            kept = outs[state.target] = self._state(state.name, var, state.size, state.value)
            if state.source is not None:
                ins[state.source] = kept
        scale = ins["InScale"] = outs["OutScale"] = self._scale(var)
        if kind == "range_abs_max":
            ins["Iter"] = self._step
        attrs = attributes(kind, bits, self._window, self._rate, is_test=False)
        block._insert_op(index, f"fake_quantize_{kind}", ins, outs, attrs)
        return out, scale

    def _scale(self, var: Variable) -> Variable:
        attr = ParamAttr(name=f"{var.name}.scale", initializer=Constant(FIRST_SCALE), trainable=False)
        scale = self._helper.create_parameter(attr, [1], var.dtype)
        scale.stop_gradient = True
        return scale

    def _state(self, name: str, var: Variable, size: int, value: float) -> Variable:
        state = self._helper.create_global_variable(
            persistable=True, name=unique_name.generate(name), dtype=var.dtype, shape=[size], stop_gradient=False
        )
        self._helper.set_variable_initializer(state, Constant(value))
        return state


def like(block: Block, name: str, var: Variable) -> Variable:
    """A variable that is declared like another."""
    return block.create_var(name=name, type=var.type, shape=var.shape, dtype=var.dtype, lod_level=var.lod_level)
