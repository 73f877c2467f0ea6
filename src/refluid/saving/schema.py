"""The messages of a `__model__` file, declared in Python: Fluid's framework.proto, field by field."""

from __future__ import annotations

from typing import Any

from refluid.saving.records import Record, records

PACKAGE = "paddle.framework.proto"
ATTR_TYPES = {
    "INT": 0, "FLOAT": 1, "STRING": 2, "INTS": 3, "FLOATS": 4, "STRINGS": 5, "BOOLEAN": 6, "BOOLEANS": 7, "BLOCK": 8,
    "LONG": 9, "BLOCKS": 10, "LONGS": 11,
}  # fmt: skip
_VAR_TYPES = {
    "BOOL": 0, "INT16": 1, "INT32": 2, "INT64": 3, "FP16": 4, "FP32": 5, "FP64": 6, "LOD_TENSOR": 7,
    "SELECTED_ROWS": 8, "FEED_MINIBATCH": 9, "FETCH_LIST": 10, "STEP_SCOPES": 11, "LOD_RANK_TABLE": 12,
    "LOD_TENSOR_ARRAY": 13, "PLACE_LIST": 14, "READER": 15, "RAW": 17, "TUPLE": 18, "SIZE_T": 19, "UINT8": 20,
    "INT8": 21,
}  # fmt: skip
ENUMS = {
    "AttrType": ATTR_TYPES,
    "VarType.Type": _VAR_TYPES,
    "CompatibleInfo.Type": {
        "COMPATIBLE": 0, "DEFINITELY_NOT": 1, "POSSIBLE": 2, "BUG_FIX": 3, "PRECISION_CHANGE": 4,
    },
}  # fmt: skip

MESSAGES = {
    "Version": "1 version opt int64 =0",
    "OpDesc": """1 inputs rep .OpDesc.Var
        2 outputs rep .OpDesc.Var
        3 type req string
        4 attrs rep .OpDesc.Attr
        5 is_target opt bool =false""",
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
    "OpProto": """1 type req string
        2 inputs rep .OpProto.Var
        3 outputs rep .OpProto.Var
        4 attrs rep .OpProto.Attr
        5 comment req string""",
    "OpProto.Var": """1 name req string
        2 comment req string
        3 duplicable opt bool =false
        4 intermediate opt bool =false
        5 dispensable opt bool =false""",
    "OpProto.Attr": """1 name req string
        2 type req .AttrType
        3 comment req string
        4 generated opt bool =false""",
    "VarType": """1 type req .VarType.Type
        2 selected_rows opt .VarType.TensorDesc
        3 lod_tensor opt .VarType.LoDTensorDesc
        4 tensor_array opt .VarType.LoDTensorArrayDesc
        5 reader opt .VarType.ReaderDesc
        7 tuple opt .VarType.Tuple""",
    "VarType.TensorDesc": """1 data_type req .VarType.Type
        2 dims rep int64""",
    "VarType.LoDTensorDesc": """1 tensor req .VarType.TensorDesc
        2 lod_level opt int32 =0""",
    "VarType.LoDTensorArrayDesc": """1 tensor req .VarType.TensorDesc
        2 lod_level opt int32 =0""",
    "VarType.ReaderDesc": "1 lod_tensor rep .VarType.LoDTensorDesc",
    "VarType.Tuple": "1 element_type rep .VarType.Type",
    "VarDesc": """1 name req string
        2 type req .VarType
        3 persistable opt bool =false
        4 need_check_feed opt bool =false""",
    "BlockDesc": """1 idx req int32
        2 parent_idx req int32
        3 vars rep .VarDesc
        4 ops rep .OpDesc
        5 forward_block_idx opt int32 =-1""",
    "CompatibleInfo": """1 version req string
        2 type req .CompatibleInfo.Type""",
    "OpCompatibleMap": """1 pair rep .OpCompatibleMap.OpCompatiblePair
        2 default_required_version opt string""",
    "OpCompatibleMap.OpCompatiblePair": """1 op_name req string
        2 compatible_info req .CompatibleInfo""",
    "ProgramDesc": """1 blocks rep .BlockDesc
        3 op_compatible_map opt .OpCompatibleMap
        4 version opt .Version""",
}

_records = records(MESSAGES, ENUMS)
ProgramDesc: Any = _records["ProgramDesc"]
BlockDesc: type[Record] = _records["BlockDesc"]
OpDesc: Any = _records["OpDesc"]
VarDesc: type[Record] = _records["VarDesc"]
TensorDesc: type[Record] = _records["VarType.TensorDesc"]
