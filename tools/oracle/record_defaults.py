"""Write tests/fixtures/op_defaults.json from the real Fluid 1.8.5: {operator: {attribute: [type, default]}}."""

import os

from arrays import write

import paddle.fluid as fluid
from paddle.fluid.framework import OpProtoHolder
from paddle.fluid.proto.framework_pb2 import AttrType

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "op_defaults.json")
BOOKKEEPING = {"op_role", "op_role_var", "op_namescope", "op_callstack", "op_device"}
# What stands in for an attribute without a default, while the others are asked.
STAND_INS = {
    "BOOLEAN": False, "INT": 1, "FLOAT": 1.0, "STRING": "", "INTS": [1], "FLOATS": [1.0], "STRINGS": [], "LONG": 1,
    "BOOLEANS": [True], "LONGS": [1],
}  # fmt: skip


def defaults(proto):
    """Fluid fills defaults in when it checks an operator; what must be given makes the check fail."""
    program = fluid.Program()  # must outlive its operators
    op = program.desc.block(0).append_op()
    op.set_type(proto.type)
    kinds = {attr.name: AttrType.Name(attr.type) for attr in proto.attrs if attr.name not in BOOKKEEPING}
    chosen = set()
    while True:
        try:
            op.check_attrs()
            break
        except fluid.core.EnforceNotMet as error:
            missing = [name for name in kinds if name not in chosen and name in str(error) and kinds[name] in STAND_INS]
            if not missing:
                break  # a stand-in does not fit; what came before it in the check is filled in
            chosen.add(missing[0])
            op._set_attr(missing[0], STAND_INS[kinds[missing[0]]])
    return {
        name: [kind, op.attr(name)]
        for name, kind in sorted(kinds.items())
        if name not in chosen and kind in STAND_INS and op.has_attr(name)
    }


def main():
    protos = OpProtoHolder.instance().op_proto_map
    found = {kind: defaults(protos[kind]) for kind in sorted(protos)}
    write(TARGET, {kind: attrs for kind, attrs in found.items() if attrs})


if __name__ == "__main__":
    main()
