"""The operators as OpProto messages, which is how Fluid's Python half learns of them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from refluid.core.errors import NotFoundError
from refluid.ops import protos, registry
from refluid.ops.facts import GENERATED_ATTRS
from refluid.saving.framework_messages import AttrType, OpDesc, OpProto

if TYPE_CHECKING:
    from refluid.saving.records import Record


def get_all_op_protos() -> list[Any]:
    """An OpProto for every operator that programs may hold, gradients left out, in the order of their names."""
    return [proto_of(op_type) for op_type in sorted(registry.all_types()) if registry.get(op_type).forward is None]


def serialized_op_protos() -> list[bytes]:
    """The same as bytes: what `core.get_all_op_protos` gives."""
    return [proto.SerializeToString() for proto in get_all_op_protos()]


@functools.cache
def proto_of(op_type: str) -> Record:
    """The OpProto of an operator."""
    known = protos.describe(op_type)
    proto = OpProto(type=known.type, comment=known.comment)
    for slots, add in ((known.inputs, proto.inputs.add), (known.outputs, proto.outputs.add)):
        for slot in slots:
            add(
                name=slot.name, comment="", duplicable=slot.duplicable, intermediate=slot.intermediate,
                dispensable=slot.dispensable,
            )  # fmt: skip
    for attr in known.attrs:
        proto.attrs.add(name=attr.name, type=AttrType.Value(attr.type), comment="")
    for name in GENERATED_ATTRS:
        kind = registry.COMMON_ATTRS[name]
        proto.attrs.add(name=name, type=AttrType.Value(kind), comment="", generated=True)
    return proto


class OpProtoHolder:
    """The OpProtos by the type of the operator; there is one holder, `OpProtoHolder.instance()`."""

    _only: OpProtoHolder | None = None

    def __init__(self) -> None:
        if OpProtoHolder._only is not None:
            raise NotFoundError("OpProtoHolder: there is one already; use OpProtoHolder.instance()")
        OpProtoHolder._only = self

    @classmethod
    def instance(cls) -> OpProtoHolder:
        return cls._only or cls()

    @property
    def op_proto_map(self) -> dict[str, Any]:
        return {proto.type: proto for proto in get_all_op_protos()}

    def get_op_proto(self, type: str) -> Any:
        """The OpProto of an operator."""
        if not self.has_op_proto(type):
            raise NotFoundError(f"OpProtoHolder: there is no operator {type!r}")
        return proto_of(type)

    def has_op_proto(self, type: str) -> bool:
        return registry.find(type) is not None

    def update_op_proto(self) -> list[str]:
        """The operators that came since the last look: every look is at all of them, so there are none."""
        return []

    @staticmethod
    def generated_op_attr_names() -> set[str]:
        """The attributes that operators get without anybody giving them."""
        return set(GENERATED_ATTRS)


def serialize_op_decs(op_desc: OpDesc) -> str:
    """The desc of an operator as the text of its message.

    Args:
        op_desc: the desc of an operator, `op.desc`.

    Returns:
        A str.
    """
    return str(OpDesc.FromString(op_desc.serialize_to_string()))
