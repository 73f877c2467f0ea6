"""The operators as descriptions: what `core.get_all_op_protos` tells."""

from __future__ import annotations

from dataclasses import dataclass

from refluid.ops import registry


@dataclass(frozen=True)
class VarProto:
    name: str
    duplicable: bool
    intermediate: bool
    dispensable: bool


@dataclass(frozen=True)
class AttrProto:
    name: str
    type: str


@dataclass(frozen=True)
class OpProto:
    """An operator's type, slots, attributes and one-line comment."""

    type: str
    inputs: tuple[VarProto, ...]
    outputs: tuple[VarProto, ...]
    attrs: tuple[AttrProto, ...]
    comment: str


def get_all_op_protos() -> list[OpProto]:
    """Every operator that programs may hold, in the order of their names; gradients included."""
    return [_proto(registry.get(op_type)) for op_type in sorted(registry.all_types())]


def _proto(op: registry.OpDef) -> OpProto:
    outputs = [slot for i, slot in enumerate(op.outputs) if i not in op.hidden]
    return OpProto(
        op.type,
        tuple(VarProto(s.name, s.duplicable, s.intermediate, s.dispensable) for s in op.inputs),
        tuple(VarProto(s.name, s.duplicable, s.intermediate, s.dispensable) for s in outputs),
        tuple(AttrProto(attr.name, attr.type) for attr in op.attrs.values()),
        (op.kernel.__doc__ or "").strip(),
    )
