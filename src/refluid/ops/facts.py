"""What Fluid's compiled part reports about operators (paddle.fluid.core)."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

import torch

from refluid.ops import registry
from refluid.ops.activation.in_place import IN_PLACE
from refluid.ops.signature import Param

# The attributes that every operator has, and their defaults.
GENERATED_ATTRS: dict[str, Any] = {
    "op_role": 0x1000, "op_role_var": [], "op_namescope": "", "op_callstack": [], "op_device": "",
}  # fmt: skip


class AttrType(str, enum.Enum):
    """The kinds of attributes: `op.attr_type(name) == core.AttrType.BLOCK`."""

    INT = "INT"
    INTS = "INTS"
    LONG = "LONG"
    LONGS = "LONGS"
    FLOAT = "FLOAT"
    FLOATS = "FLOATS"
    STRING = "STRING"
    STRINGS = "STRINGS"
    BOOL = "BOOLEAN"
    BOOLS = "BOOLEANS"
    BLOCK = "BLOCK"
    BLOCKS = "BLOCKS"


def get_op_attrs_default_value(op_type: str | bytes) -> dict[str, Any]:
    """{attribute: default} of an operator, those that every operator has included."""
    op = registry.get(op_type.decode() if isinstance(op_type, bytes) else op_type)
    return GENERATED_ATTRS | {name: attr.default for name, attr in op.attrs.items() if not attr.required}


def has_grad_op_maker(op_type: str) -> bool:
    """Whether asking for the gradient of an operator is allowed; it may have none."""
    op = registry.get(op_type)
    return op.forward is None or op.has_gradient


def has_non_empty_grad_op_maker(op_type: str) -> bool:
    """Whether an operator has a gradient."""
    return registry.get(op_type).has_gradient


def has_infer_inplace(op_type: str) -> bool:
    """Whether a plan may let an operator write over its input."""
    op = registry.get(op_type)
    return bool(op.inplace) or op_type in IN_PLACE


def infer_no_need_buffer_slots(
    op_type: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], attrs: Mapping[str, Any]
) -> set[str]:
    """The input slots of which an operator reads the shapes alone."""
    op = registry.get(op_type)

    def slots(kind: str) -> set[str]:
        return {op.inputs[param.slot].name for param in op.params if isinstance(param, Param) and param.kind == kind}

    return slots("shape") - slots("value")


def op_support_gpu(op_type: str) -> bool:
    """Whether an operator runs on CUDA devices: all do if there is a device."""
    registry.get(op_type)
    return torch.cuda.is_available()
