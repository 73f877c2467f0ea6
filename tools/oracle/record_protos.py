"""Write tests/fixtures/op_protos.json from the real Fluid 1.8.5: the slots and attributes of all operators.

See README.md.
"""

import os

from arrays import write
from record_defaults import BOOKKEEPING

from paddle.fluid import core
from paddle.fluid.framework import OpProtoHolder
from paddle.fluid.proto.framework_pb2 import AttrType

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "op_protos.json")


def slots(found):
    return " ".join(one.name + "*" * one.duplicable + "?" * one.dispensable for one in found)


def described(proto):
    attrs = {attr.name: AttrType.Name(attr.type) for attr in proto.attrs if attr.name not in BOOKKEEPING}
    return {
        "inputs": slots(proto.inputs),
        "outputs": slots(proto.outputs),
        "attrs": attrs,
        "gradient": core.has_non_empty_grad_op_maker(proto.type),
    }


def main():
    protos = OpProtoHolder.instance().op_proto_map
    operators = {kind: described(protos[kind]) for kind in sorted(protos)}
    write(TARGET, {"operators": operators, "kernels": sorted(core._get_all_register_op_kernels())})


if __name__ == "__main__":
    main()
