"""The operators as descriptions: slots, attributes and a line about each."""

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


def describe(op_type: str) -> OpProto:
    """An operator as programs see it, without hidden outputs."""
    op = registry.get(op_type)
    outputs = [slot for i, slot in enumerate(op.outputs) if i not in op.hidden]
    return OpProto(
        op.type,
        tuple(VarProto(s.name, s.duplicable, s.intermediate, s.dispensable) for s in op.inputs),
        tuple(VarProto(s.name, s.duplicable, s.intermediate, s.dispensable) for s in outputs),
        tuple(AttrProto(attr.name, attr.type) for attr in op.attrs.values()),
        (op.kernel.__doc__ or "").strip(),
    )
