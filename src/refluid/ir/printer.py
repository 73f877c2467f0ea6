"""Programs as text, one line per variable and operator, so that one can read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.core.dtypes import NAME
from refluid.ir.operator import Operator, attr_text
from refluid.ir.variable import Variable

if TYPE_CHECKING:
    from refluid.ir.block import Block
    from refluid.ir.program import Program

_QUIET = {"op_role", "op_role_var", "op_namescope", "op_callstack", "op_device"}


def print_program(program: Program, with_details: bool = False) -> str:
    return "\n".join(print_block(block, with_details) for block in program.blocks)


def print_block(block: Block, with_details: bool = False) -> str:
    title = f"block {block.idx}" + (f" (inside block {block.parent_idx})" if block.parent_idx >= 0 else "")
    lines = [title + " {"]
    lines += [f"    {print_variable(var, with_details)}" for var in block.vars.values()]
    lines += [f"    {print_operator(op)}" for op in block.ops]
    return "\n".join([*lines, "}"])


def print_variable(var: Variable, with_details: bool = False) -> str:
    kind = "param" if var.is_parameter else "persist" if var.persistable else "var"
    text = f"{kind} {var.name} : {NAME[var.dtype]} {list(var.shape)}"
    if var.type.name != "LOD_TENSOR":
        text += f" {var.type.name}"
    if var.lod_level:
        text += f" lod_level={var.lod_level}"
    if with_details:
        text += f" stop_gradient={var.stop_gradient}"
        if var.is_parameter:
            text += f" trainable={var.trainable}"  # type: ignore[attr-defined]  # a Parameter
    return text


def print_operator(op: Operator) -> str:
    outs = ", ".join(f"{slot}={names}" for slot, names in op.outputs.items())
    ins = ", ".join(f"{slot}={names}" for slot, names in op.inputs.items())
    attrs = ", ".join(f"{name}={attr_text(name, value)}" for name, value in op.attrs.items() if name not in _QUIET)
    return f"{{{outs}}} = {op.type}({ins}{'; ' if ins and attrs else ''}{attrs})"
