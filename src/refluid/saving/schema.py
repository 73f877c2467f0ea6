"""The messages of a `__model__` file, declared in Python: Fluid's ProgramDesc, field by field."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "paddle.framework.proto"
_F = descriptor_pb2.FieldDescriptorProto
_LABELS = {"req": _F.LABEL_REQUIRED, "opt": _F.LABEL_OPTIONAL, "rep": _F.LABEL_REPEATED}
_TYPES = {
    "int32": _F.TYPE_INT32, "int64": _F.TYPE_INT64, "float": _F.TYPE_FLOAT, "bool": _F.TYPE_BOOL,
    "string": _F.TYPE_BYTES,  # as bytes: Fluid writes whatever a program holds, also what is no UTF-8
}  # fmt: skip

_ENUMS = {
    "AttrType": "INT FLOAT STRING INTS FLOATS STRINGS BOOLEAN BOOLEANS BLOCK LONG BLOCKS LONGS".split(),
}
_VAR_TYPES = {
    "BOOL": 0, "INT16": 1, "INT32": 2, "INT64": 3, "FP16": 4, "FP32": 5, "FP64": 6, "LOD_TENSOR": 7,
    "SELECTED_ROWS": 8, "FEED_MINIBATCH": 9, "FETCH_LIST": 10, "STEP_SCOPES": 11, "LOD_RANK_TABLE": 12,
    "LOD_TENSOR_ARRAY": 13, "PLACE_LIST": 14, "READER": 15, "RAW": 17, "TUPLE": 18, "SIZE_T": 19, "UINT8": 20,
    "INT8": 21,
}  # fmt: skip

# message -> "number name label type", a line each; a dot begins the full name of a message or enum.
_MESSAGES = {
    "Version": "1 version opt int64",
    "OpDesc": """1 inputs rep .OpDesc.Var
        2 outputs rep .OpDesc.Var
        3 type req string
        4 attrs rep .OpDesc.Attr
        5 is_target opt bool""",
    "OpDesc.Attr": """1 name req string
        2 type req .AttrType
        3 i opt int32
        4 f opt float
        5 s opt string
        6 ints rep int32
        7 floats rep float
        8 strings rep string
        10 b opt bool
        11 bools rep bool
        12 block_idx opt int32
        13 l opt int64
        14 blocks_idx rep int32
        15 longs rep int64""",
    "OpDesc.Var": """1 parameter req string
        2 arguments rep string""",
    "VarType": """1 type req .VarType.Type
        2 selected_rows opt .VarType.TensorDesc
        3 lod_tensor opt .VarType.LoDTensorDesc
        4 tensor_array opt .VarType.LoDTensorDesc
        5 reader opt .VarType.ReaderDesc
        7 tuple opt .VarType.Tuple""",
    "VarType.TensorDesc": """1 data_type req .VarType.Type
        2 dims rep int64""",
    "VarType.LoDTensorDesc": """1 tensor req .VarType.TensorDesc
        2 lod_level opt int32""",
    "VarType.ReaderDesc": "1 lod_tensor rep .VarType.LoDTensorDesc",
    "VarType.Tuple": "1 element_type rep .VarType.Type",
    "VarDesc": """1 name req string
        2 type req .VarType
        3 persistable opt bool
        4 need_check_feed opt bool""",
    "BlockDesc": """1 idx req int32
        2 parent_idx req int32
        3 vars rep .VarDesc
        4 ops rep .OpDesc
        5 forward_block_idx opt int32""",
    "CompatibleInfo": """1 version req string
        2 type req int32""",
    "OpCompatibleMap": """1 pair rep .OpCompatibleMap.Pair
        2 default_required_version opt string""",
    "OpCompatibleMap.Pair": """1 op_name req string
        2 compatible_info req .CompatibleInfo""",
    "ProgramDesc": """1 blocks rep .BlockDesc
        3 op_compatible_map opt .OpCompatibleMap
        4 version opt .Version""",
}


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="refluid_program.proto", package=_PACKAGE, syntax="proto2")
    attr_type = file.enum_type.add(name="AttrType")
    for number, name in enumerate(_ENUMS["AttrType"]):
        attr_type.value.add(name=name, number=number)
    made: dict[str, Any] = {}
    for full, text in _MESSAGES.items():
        outer, _, name = full.rpartition(".")
        made[full] = message = made[outer].nested_type.add(name=name) if outer else file.message_type.add(name=name)
        for line in text.splitlines():
            _add_field(message, *line.split())
    kinds = made["VarType"].enum_type.add(name="Type")
    for name, number in _VAR_TYPES.items():
        kinds.value.add(name=name, number=number)
    return file


def _add_field(message: Any, number: str, name: str, label: str, kind: str) -> None:
    field = message.field.add(name=name, number=int(number), label=_LABELS[label])
    if kind.startswith("."):
        field.type = _F.TYPE_ENUM if kind in (".AttrType", ".VarType.Type") else _F.TYPE_MESSAGE
        field.type_name = f".{_PACKAGE}{kind}"
    else:
        field.type = _TYPES[kind]


_pool = descriptor_pool.DescriptorPool()
_pool.Add(_file())


def _message(name: str) -> Any:
    return message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


ProgramDesc = _message("ProgramDesc")
BlockDesc = _message("BlockDesc")
OpDesc = _message("OpDesc")
VarDesc = _message("VarDesc")
TensorDesc = _message("VarType.TensorDesc")
ATTR_TYPES = {name: number for number, name in enumerate(_ENUMS["AttrType"])}
