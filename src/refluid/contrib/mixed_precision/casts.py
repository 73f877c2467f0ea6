"""A program's forward pass rewritten to compute partly in float16, and its gradients cast back late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.contrib.mixed_precision.lists import AutoMixedPrecisionLists
from refluid.core.dtypes import VarType
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.roles import ROLE, ROLE_VAR, OpRole

if TYPE_CHECKING:
    from refluid.ir.variable import Variable

TENSORS = (VarType.LOD_TENSOR, VarType.SELECTED_ROWS, VarType.LOD_TENSOR_ARRAY)
SUFFIX = {VarType.FP16: ".cast_fp16", VarType.FP32: ".cast_fp32"}
NOT_FORWARD = OpRole.Backward | OpRole.Optimize | OpRole.LRSched
# batch_norm computes in float32 whatever X is: only X and Y change.
BATCH_NORM = {"X", "Y"}


def rewrite_program(program: Program, lists: AutoMixedPrecisionLists) -> None:
    """Insert casts into the global block so that white operators read float16 and black ones float32.

    A gray operator is black if one of its inputs is a black operator's, else white if one is a white operator's, and is
    left alone otherwise. Operators in no list are black. What an earlier rewriting has done stays.
    """
    block = program.global_block()
    white, black = _divide(block, lists)
    for op in list(block.ops):
        if op in white:
            _cast_inputs(block, op, VarType.FP32, VarType.FP16)
            _narrow_outputs(block, op)
        elif op in black:
            _cast_inputs(block, op, VarType.FP16, VarType.FP32)
    program.touch()


def _divide(block: Block, lists: AutoMixedPrecisionLists) -> tuple[set[Operator], set[Operator]]:
    white: set[Operator] = set()
    black: set[Operator] = set()
    writer: dict[str, Operator] = {}
    for op in block.ops:
        if not op.attrs.get(ROLE, 0) & NOT_FORWARD and not _is_inserted(op):
            before = {writer[name] for name in op.input_arg_names if name in writer}
            named = lists.black_varnames.intersection([*op.input_arg_names, *op.output_arg_names])
            if not named and op.type in lists.white_list:
                white.add(op)
            elif named or op.type not in lists.gray_list or before & black:
                black.add(op)
            elif before & white:
                white.add(op)
        writer.update(dict.fromkeys(op.output_arg_names, op))
    return white, black


def _is_inserted(op: Operator) -> bool:
    return op.type == "cast" and op.output("Out")[0] in {op.input("X")[0] + suffix for suffix in SUFFIX.values()}


def _cast_inputs(block: Block, op: Operator, source: VarType, target: VarType) -> None:
    index = block.ops.index(op)  # Fluid: each cast comes before those that were inserted first
    for slot in sorted(op.input_names):
        if op.type == "batch_norm" and source == VarType.FP32 and slot not in BATCH_NORM:
            continue
        for name in op.input(slot):
            var = block.find_var(name)
            if var is None or var.type not in TENSORS:
                continue
            if var.dtype == source:
                _rename(op, name, _cast(block, index, var, target))
            elif op.has_attr("in_dtype"):
                op.attrs["in_dtype"] = int(var.dtype)


def _cast(block: Block, index: int, var: Variable, target: VarType) -> str:
    """The name of `var` as `target`, cast at `index` unless an earlier operator reads it so already."""
    name = var.name + SUFFIX[target]
    known = block.vars.get(name)
    if known is None or known.dtype != target:
        cast_var = block.create_var(name=name, dtype=target, lod_level=var.lod_level, persistable=False)
        attrs = {"in_dtype": int(var.dtype), "out_dtype": int(target)}
        block._insert_op(index, "cast", {"X": var}, {"Out": cast_var}, attrs)
    return name


def _rename(op: Operator, old: str, new: str) -> None:
    """Let the operator read `new`, and so the operators of its block."""
    op._rename_input(old, new)
    if op.sub_block is not None:
        if old in op.sub_block.vars:  # a step of a recurrent network has the name of the whole
            op.sub_block._rename_var(old, new)
        for inner in op.sub_block.ops:
            _rename(inner, old, new)


def _narrow_outputs(block: Block, op: Operator) -> None:
    for slot in op.output_names:
        if op.type == "batch_norm" and slot not in BATCH_NORM:
            continue
        for name in op.output(slot):
            var = block.find_var(name)
            if var is not None and var.type in TENSORS and var.dtype == VarType.FP32:
                var.dtype = VarType.FP16
                if op.has_attr("out_dtype"):
                    op.attrs["out_dtype"] = int(VarType.FP16)


def cast_gradients_last(program: Program, params_grads: list[tuple[Any, Any]]) -> None:
    """Move the casts of parameters' gradients behind the backward pass, into the update.

    Gradients then travel between devices as float16: they, not their casts, are noted as the parameters' gradients.
    """
    block = program.global_block()
    writer = {name: op for op in block.ops for name in op.output_arg_names}
    for param, grad in params_grads:
        op = writer[grad.name]
        if grad.dtype != VarType.FP32 or op.type != "cast":
            continue
        narrow = op.input("X")[0]
        op.attrs.pop(ROLE_VAR, None)
        op.attrs[ROLE] = int(OpRole.Optimize)
        source = writer[narrow]
        source.attrs[ROLE_VAR] = [param.name, narrow, *source.attrs.get(ROLE_VAR, [])]
        block.ops.remove(op)
        block.ops.append(op)
    program.touch()
