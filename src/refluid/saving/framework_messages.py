"""Fluid's framework.proto as message classes whose strings are str: what programs know as framework_pb2."""

from __future__ import annotations

from refluid.saving import schema
from refluid.saving.protobuf import Messages

_messages = Messages("framework.proto", schema.PACKAGE, schema.MESSAGES, schema.ENUMS, text=True)

DESCRIPTOR = _messages.descriptor
AttrType = _messages.enum("AttrType")
INT, FLOAT, STRING, INTS, FLOATS, STRINGS, BOOLEAN, BOOLEANS, BLOCK, LONG, BLOCKS, LONGS = AttrType.values()

Version = _messages.message("Version")
OpDesc = _messages.message("OpDesc")
OpProto = _messages.message("OpProto")
VarType = _messages.message("VarType")
VarDesc = _messages.message("VarDesc")
BlockDesc = _messages.message("BlockDesc")
CompatibleInfo = _messages.message("CompatibleInfo")
OpCompatibleMap = _messages.message("OpCompatibleMap")
ProgramDesc = _messages.message("ProgramDesc")
