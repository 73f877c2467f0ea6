"""paddle.fluid.proto.framework_pb2: the messages of program files."""

from refluid.saving.framework_messages import (
    BLOCK as BLOCK,
    BLOCKS as BLOCKS,
    BOOLEAN as BOOLEAN,
    BOOLEANS as BOOLEANS,
    DESCRIPTOR as DESCRIPTOR,
    FLOAT as FLOAT,
    FLOATS as FLOATS,
    INT as INT,
    INTS as INTS,
    LONG as LONG,
    LONGS as LONGS,
    STRING as STRING,
    STRINGS as STRINGS,
    AttrType as AttrType,
    BlockDesc as BlockDesc,
    CompatibleInfo as CompatibleInfo,
    OpCompatibleMap as OpCompatibleMap,
    OpDesc as OpDesc,
    OpProto as OpProto,
    ProgramDesc as ProgramDesc,
    VarDesc as VarDesc,
    VarType as VarType,
    Version as Version,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
