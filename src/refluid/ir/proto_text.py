"""Programs, blocks, operators and variables as the text of Fluid's messages, which is what `print` shows of them."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.dtypes import VarType
from refluid.core.errors import NotFoundError

if TYPE_CHECKING:
    from refluid.ir.block import Block
    from refluid.ir.operator import Operator
    from refluid.ir.program import Program
    from refluid.ir.variable import Variable

_DETAILS = ("error_clip", "stop_gradient")
_OF_PARAMETERS = ("trainable", "optimize_attr", "regularizer", "do_model_average")
# The field of a message that holds an attribute of a type; lists repeat theirs.
_FIELDS = {
    "INT": "i", "FLOAT": "f", "STRING": "s", "INTS": "ints", "FLOATS": "floats", "STRINGS": "strings", "BOOLEAN": "b",
    "BOOLEANS": "bools", "BLOCK": "block_idx", "LONG": "l", "BLOCKS": "blocks_idx", "LONGS": "longs",
}  # fmt: skip
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "'": "\\'", "\n": "\\n", "\t": "\\t"})
_HOLDERS = {VarType.LOD_TENSOR: "lod_tensor", VarType.LOD_TENSOR_ARRAY: "tensor_array"}


def program_text(program: Program, with_details: bool = False) -> str:
    blocks = "".join(_message("blocks", block_text(block, with_details)) for block in program.blocks)
    return blocks + _message("version", f"version: {program.file_version or 1_008_005}\n")


def block_text(block: Block, with_details: bool = False) -> str:
    parts = [f"idx: {block.idx}\nparent_idx: {block.parent_idx}\n"]
    parts += [_message("vars", variable_text(var, with_details)) for var in block.vars.values()]
    parts += [_message("ops", operator_text(op)) for op in block.ops]
    if block.forward_block_idx >= 0:
        parts.append(f"forward_block_idx: {block.forward_block_idx}\n")
    return "".join(parts)


def variable_text(var: Variable, with_details: bool = False) -> str:
    text = f"name: {_quoted(var.name)}\n" + _message("type", f"type: {var.type.name}\n" + _tensor(var))
    text += f"persistable: {_scalar(var.persistable)}\n"
    if var.need_check_feed:
        text += "need_check_feed: true\n"
    names = (*_DETAILS, *(_OF_PARAMETERS if var.is_parameter else ())) if with_details else ()
    return text + "".join(f"{name}: {getattr(var, name)}\n" for name in names)


def _tensor(var: Variable) -> str:
    text = f"data_type: {var.dtype.name}\n" + "".join(f"dims: {size}\n" for size in var.shape)
    if var.type == VarType.SELECTED_ROWS:
        return _message("selected_rows", text)
    if var.type not in _HOLDERS:
        return ""
    said = var.lod_level or var.is_data  # Fluid does not say what nobody has set
    return _message(_HOLDERS[var.type], _message("tensor", text) + (f"lod_level: {var.lod_level}\n" if said else ""))


def operator_text(op: Operator) -> str:
    parts = []
    for side, slots in (("inputs", op.inputs), ("outputs", op.outputs)):
        for slot, names in slots.items():
            arguments = "".join(f"arguments: {_quoted(name)}\n" for name in names)
            parts.append(_message(side, f"parameter: {_quoted(slot)}\n{arguments}"))
    parts.append(f"type: {_quoted(op.type)}\n")
    parts += [_message("attrs", _attr(op, name, value)) for name, value in op.attrs.items() if value is not None]
    return "".join(parts)


def _attr(op: Operator, name: str, value: Any) -> str:
    kind = _kind(op, name, value)
    values = value if isinstance(value, list | tuple) else [value]
    if kind == "FLOAT" or kind == "FLOATS":
        values = [float(np.float32(one)) for one in values]  # as the message holds them
    elif kind == "BLOCK" or kind == "BLOCKS":
        values = [one.idx for one in values]
    fields = "".join(f"{_FIELDS[kind]}: {_scalar(one)}\n" for one in values)
    return f"name: {_quoted(name)}\ntype: {kind}\n{fields}"


def _kind(op: Operator, name: str, value: object) -> str:
    try:
        return op.attr_type(name)
    except NotFoundError:  # an attribute that a program has put there itself
        element = value[0] if isinstance(value, list | tuple) and value else value
        kinds = {bool: "BOOLEAN", int: "INT", float: "FLOAT"}
        return kinds.get(type(element), "STRING") + ("S" if element is not value else "")


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(int(value))
    return repr(value) if isinstance(value, float) else _quoted(str(value))


def _quoted(text: str) -> str:
    return '"' + text.translate(_ESCAPES) + '"'


def _message(name: str, text: str) -> str:
    return f"{name} {{\n{indent(text, '  ')}}}\n"
