"""Protobuf messages from tables in Python: no generated file, no protoc (docs/decisions/0004)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

_F = descriptor_pb2.FieldDescriptorProto
_LABELS = {"req": _F.LABEL_REQUIRED, "opt": _F.LABEL_OPTIONAL, "rep": _F.LABEL_REPEATED}
_TYPES = {
    "int32": _F.TYPE_INT32, "int64": _F.TYPE_INT64, "uint32": _F.TYPE_UINT32, "uint64": _F.TYPE_UINT64,
    "float": _F.TYPE_FLOAT, "bool": _F.TYPE_BOOL, "string": _F.TYPE_STRING, "bytes": _F.TYPE_BYTES,
}  # fmt: skip

Enums = Mapping[str, Mapping[str, int]]


class Messages:
    """The message classes and enums of one file, in a pool of their own.

    Args:
        name: of the file, which only error messages show.
        messages: by full name, a line per field: "number name label type", and "=value" for a default. Labels are req,
            opt and rep; a type that begins with a dot is the full name of a message or an enum.
        enums: by full name, {name: number}.
        text: whether strings are str; as bytes they hold what is no UTF-8, which programs may contain.
    """

    def __init__(self, name: str, package: str, messages: Mapping[str, str], enums: Enums, text: bool):
        self._package, self._enums, self._text = package, enums, text
        file = descriptor_pb2.FileDescriptorProto(name=name, package=package, syntax="proto2")
        by_name: dict[str, Any] = {}
        for full, fields in messages.items():
            outer, _, own = full.rpartition(".")
            by_name[full] = message = (
                by_name[outer].nested_type.add(name=own) if outer else file.message_type.add(name=own)
            )
            for line in fields.splitlines():
                self._add_field(message, *line.split())
        for full, values in enums.items():
            outer, _, own = full.rpartition(".")
            enum = (by_name[outer] if outer else file).enum_type.add(name=own)
            for value, number in values.items():
                enum.value.add(name=value, number=number)
        self._pool = descriptor_pool.DescriptorPool()
        self._pool.Add(file)
        self.descriptor = self._pool.FindFileByName(name)

    def _add_field(self, message: Any, number: str, name: str, label: str, kind: str, default: str = "") -> None:
        field = message.field.add(name=name, number=int(number), label=_LABELS[label])
        if kind.startswith("."):
            field.type = _F.TYPE_ENUM if kind[1:] in self._enums else _F.TYPE_MESSAGE
            field.type_name = f".{self._package}{kind}"
        else:
            field.type = _TYPES["bytes" if kind == "string" and not self._text else kind]
        if default:
            field.default_value = default[1:]

    def message(self, name: str) -> Any:
        """The class of a message, which has those of the messages inside it as attributes."""
        made = message_factory.GetMessageClass(self._pool.FindMessageTypeByName(f"{self._package}.{name}"))
        for inner in made.DESCRIPTOR.nested_types:
            if not hasattr(made, inner.name):  # the implementation in Python leaves them to generated code
                setattr(made, inner.name, self.message(f"{name}.{inner.name}"))
        return made

    def enum(self, name: str) -> EnumTypeWrapper:
        """An enum, with `Name(number)` and `Value(name)`."""
        return EnumTypeWrapper(self._pool.FindEnumTypeByName(f"{self._package}.{name}"))
