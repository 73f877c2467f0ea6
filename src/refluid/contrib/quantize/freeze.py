"""A program of quantization-aware training, frozen into one that computes with integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.contrib.quantize.scales import like
from refluid.contrib.quantize.weights import integers, set_value, value
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ops.quantize.levels import top
from refluid.tensor.scope import Scope

if TYPE_CHECKING:
    from refluid.core.places import Place


def freeze(
    program: Program, scope: Scope, place: Place, types: tuple[str, ...],
    weight_scale: Callable[[np.ndarray, Any], float], weight_bits: int, activation_bits: int,
) -> None:  # fmt: skip
    """Quantize weights in the scope, remove the operators that did so, and dequantize the products of `types`."""
    persistable = {var.name for var in program.list_vars() if var.persistable}
    done: dict[str, float] = {}  # the scales of weights that are integers already: several blocks may read one
    for block in program.blocks:
        scales: dict[str, Any] = {}  # of each variable: a number for a weight, else a variable
        inputs: dict[str, str] = {}  # output of a removed operator -> what it was before quantization
        outputs: dict[str, str] = {}  # a product -> the scaled one
        for op in list(block.ops):
            for name in op.input_arg_names:
                if name in outputs:
                    op._rename_input(name, outputs[name])
            if op.type.startswith("fake_quantize_"):
                source, (scale,) = op.input("X")[0], op.output("OutScale")
                if source in persistable:
                    if source not in done:
                        weight, kept = value(scope, source), scope.find_var(scale)
                        done[source] = weight_scale(weight, kept.get_tensor() if kept is not None else None)
                        set_value(scope, source, integers(weight, done[source], weight_bits, clip=True), place)
                    scales[source] = done[source]
                    _remove_dequantizer(block, op, inputs)
                else:
                    scales[source] = block._var_recursive(scale)
            elif op.type == "fake_dequantize_max_abs":
                _remove_dequantizer(block, op, inputs)
            elif op.type in types:
                _scale_product(block, op, scales, inputs, outputs, top(weight_bits) * top(activation_bits))
    _drop_unused(program)


def _remove_dequantizer(block: Block, op: Operator, inputs: dict[str, str]) -> None:
    source = op.input("X")[0]
    inputs[op.output("Out")[0]] = inputs.get(source, source)
    block.ops.remove(op)


def _scale_product(
    block: Block, op: Operator, scales: dict[str, Any], inputs: dict[str, str], outputs: dict[str, str], steps: int
) -> None:
    weight_scale, scale = None, None
    for name in dict.fromkeys(op.input_arg_names):
        known_scale = scales.get(name.removesuffix(".dequantized").removesuffix(".quantized"))
        if name in inputs:
            op._rename_input(name, inputs[name])
        if isinstance(known_scale, float):
            weight_scale = known_scale
        elif known_scale is not None:
            scale = known_scale
    if weight_scale is None or scale is None:
        raise ArgumentError(
            f"freeze_program: {op.type} {op.output_arg_names[0]} has no quantized weight and input; call "
            "training_transpile on the program that trains, and clone it for testing"
        )
    (name,) = op.output_arg_names
    out = block._var_recursive(name)
    number = like(block, f"{name}.dequantized", out)
    attrs = {"max_range": steps / weight_scale}
    ins = {"X": out, "Scale": scale}
    block._insert_op(block.ops.index(op) + 1, "fake_dequantize_max_abs", ins, {"Out": number}, attrs)
    outputs[name] = number.name


def convert_to_int8(program: Program, scope: Scope, place: Place, types: tuple[str, ...]) -> None:
    """Weights that operators of `types` read, as int8 variables of their own."""
    home = program.global_block()
    int8_names: dict[str, str] = {}
    for op in list(program.operators()):
        if op.type not in types:
            continue
        for name in dict.fromkeys(op.input_arg_names):
            var = op.block._var_recursive(name)
            if not var.persistable:
                continue
            if name not in int8_names:
                int8_names[name] = f"{name}.int8"
                weight = value(scope, name)
                if (weight != np.round(weight)).any():
                    raise ArgumentError(f"convert_to_int8: {name} is not of integers; call freeze_program first")
                home.create_parameter(name=int8_names[name], type=var.type, dtype=VarType.INT8, shape=var.shape)
                set_value(scope, int8_names[name], weight.astype(np.int8), place)
            op._rename_input(name, int8_names[name])
    _drop_unused(program)


def _drop_unused(program: Program) -> None:
    for block in program.blocks:
        used = {name for op in block.ops for name in (*op.input_arg_names, *op.output_arg_names)}
        for name in [name for name in block.vars if name not in used]:
            block._remove_var(name)
