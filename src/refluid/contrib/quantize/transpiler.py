"""QuantizeTranspiler: a program that trains as if products were of integers, and the program that computes so."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.contrib.quantize.freeze import convert_to_int8, freeze
from refluid.contrib.quantize.kinds import KINDS
from refluid.contrib.quantize.scales import Quantizer, like
from refluid.core.errors import ArgumentError
from refluid.ir import program as programs
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program, program_guard
from refluid.ops.quantize.levels import top
from refluid.optim.build import autoincreased_step_counter
from refluid.tensor.scope import Scope, global_scope

QUANTIZABLE = ("conv2d", "depthwise_conv2d", "mul")


class QuantizeTranspiler:
    """Trains products and convolutions for integers of a few bits.

    Call `training_transpile` after `minimize`; later clone the program for testing, `freeze_program`, and save it.

    Args:
        weight_bits, activation_bits: of weights, and of everything else that is multiplied.
        activation_quantize_type, weight_quantize_type: what a number is divided by: "abs_max", the maximum of the
            batch; "range_abs_max", of the last window_size batches; "moving_average_abs_max", an average of all so far.
        moving_rate: how much of the average is kept from batch to batch.
    """

    def __init__(
        self,
        weight_bits: int = 8,
        activation_bits: int = 8,
        activation_quantize_type: str = "abs_max",
        weight_quantize_type: str = "abs_max",
        window_size: int = 10000,
        moving_rate: float = 0.9,
    ):
        for name, kind in (
            ("activation_quantize_type", activation_quantize_type), ("weight_quantize_type", weight_quantize_type)
        ):  # fmt: skip
            if kind not in KINDS:
                raise ArgumentError(f"QuantizeTranspiler: {name} must be one of {', '.join(KINDS)}, got {kind!r}")
        for bits in (weight_bits, activation_bits):
            top(bits)  # refuses what is no number of bits
        self.weight_bits, self.activation_bits = weight_bits, activation_bits
        self.activation_quantize_type, self.weight_quantize_type = activation_quantize_type, weight_quantize_type
        self.window_size, self.moving_rate = window_size, moving_rate

    def training_transpile(self, program: Program | None = None, startup_program: Program | None = None) -> None:
        """Put integers of their inputs, and the numbers that they stand for, in front of products and convolutions.

        Gradients are those of the numbers, and go on as if there were no integers.
        """
        program = programs.default_main_program() if program is None else program
        startup_program = programs.default_startup_program() if startup_program is None else startup_program
        parameters = {param.name for param in program.global_block().all_parameters()}
        with program_guard(program, startup_program):
            counts = "range_abs_max" in (self.weight_quantize_type, self.activation_quantize_type)
            step = autoincreased_step_counter() if counts else None
            quantizer = Quantizer(step, self.window_size, self.moving_rate)
            for block in program.blocks:
                standing_for: dict[str, str] = {}
                for op in list(block.ops):
                    if op.type in QUANTIZABLE:
                        self._rewrite(block, op, quantizer, standing_for, parameters)
                    elif op.type.removesuffix("_grad") in QUANTIZABLE:
                        _rename(op, standing_for)

    def _rewrite(
        self, block: Block, op: Operator, quantizer: Quantizer, standing_for: dict[str, str], parameters: set[str]
    ) -> None:
        index = block.ops.index(op)
        # Fluid: slots in the order of their names, each before those that were inserted first.
        for name in [name for slot in sorted(op.input_names) for name in op.input(slot)]:
            if name not in standing_for:
                weight = name in parameters
                bits = self.weight_bits if weight else self.activation_bits
                kind = self.weight_quantize_type if weight else self.activation_quantize_type
                integers, scale = quantizer.insert(block, index, block._var_recursive(name), bits, kind)
                number = like(block, f"{integers.name}.dequantized", integers)
                attrs = {"max_range": float(top(bits))}
                ins = {"X": integers, "Scale": scale}
                block._insert_op(index + 1, "fake_dequantize_max_abs", ins, {"Out": number}, attrs)
                standing_for[name] = number.name
        _rename(op, standing_for)

    def freeze_program(
        self, program: Program, place: Any = None, scope: Scope | None = None, fuse_bn: bool = False
    ) -> None:
        """Let a program for testing multiply integers: weights become integers now, results are scaled once.

        Args:
            program: a program that was transpiled for training, cloned for testing.
            place: where the weights are set.
            scope: where the weights are; the global one by default.
            fuse_bn: 1.5's; False, the only value that 1.5 itself takes.
        """
        if fuse_bn:
            raise ArgumentError("freeze_program: fuse_bn must be False; batch norms are folded when a program runs")
        freeze(program, scope or global_scope(), place, QUANTIZABLE, self._weight_scale, self.weight_bits,
               self.activation_bits)  # fmt: skip

    def _weight_scale(self, weight: np.ndarray, kept: object) -> float:
        """By which a weight was divided: `kept` is the variable of its scale, where there is one."""
        return float(np.abs(weight).max()) if self.weight_quantize_type == "abs_max" else float(np.array(kept).item())

    def convert_to_int8(self, program: Program, place: Any = None, scope: Scope | None = None) -> None:
        """Keep the weights of a frozen program as int8, under names that end in `.int8`."""
        if self.weight_bits > 8:
            raise ArgumentError(f"convert_to_int8: weights of {self.weight_bits} bits do not fit into int8")
        convert_to_int8(program, scope or global_scope(), place, QUANTIZABLE)


def _rename(op: Operator, standing_for: dict[str, str]) -> None:
    for name in op.input_arg_names:
        if name in standing_for:
            op._rename_input(name, standing_for[name])
