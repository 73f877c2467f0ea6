"""framework_pb2 and its like are message classes over our own program files."""

import numpy as np
from google.protobuf import text_format

import paddle.fluid as fluid
from paddle.fluid.proto import data_feed_pb2, framework_pb2
from paddle.fluid.proto.profiler import profiler_pb2


def test_a_program_can_be_read_changed_and_given_back_as_messages():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [None, 2])
        y = fluid.layers.scale(x, scale=3.0)
    desc = framework_pb2.ProgramDesc.FromString(main.desc.serialize_to_string())
    (op,) = desc.blocks[0].ops
    assert (op.type, [v.arguments[0] for v in op.outputs]) == ("scale", [y.name])
    assert {v.name: v.type.lod_tensor.tensor.data_type for v in desc.blocks[0].vars}["x"] == framework_pb2.VarType.FP32
    (scale,) = [attr for attr in op.attrs if attr.name == "scale"]
    assert framework_pb2.AttrType.Name(scale.type) == "FLOAT" and scale.type == framework_pb2.FLOAT
    scale.f = 5.0
    changed = fluid.Program.parse_from_string(desc.SerializeToString())
    (found,) = fluid.Executor().run(changed, feed={"x": np.ones((1, 2), "float32")}, fetch_list=[y.name])
    assert found.tolist() == [[5.0, 5.0]]


def test_the_head_of_a_saved_tensor_is_a_message():
    head = framework_pb2.VarType.TensorDesc(data_type=framework_pb2.VarType.FP16, dims=[2, 3])
    again = framework_pb2.VarType.TensorDesc.FromString(head.SerializeToString())
    assert (framework_pb2.VarType.Type.Name(again.data_type), list(again.dims)) == ("FP16", [2, 3])


def test_descriptions_of_slots_are_messages(tmp_path):
    text = 'name: "MultiSlotDataFeed"\nmulti_slot_desc { slots { name: "words" type: "uint64" is_used: true } }'
    desc = text_format.Parse(text, data_feed_pb2.DataFeedDesc())
    assert (desc.batch_size, desc.multi_slot_desc.slots[0].name) == (32, "words")
    (tmp_path / "feed").write_text(text_format.MessageToString(desc))
    assert 'name: "words"' in fluid.DataFeedDesc(str(tmp_path / "feed")).desc()


def test_timelines_are_messages():
    profile = profiler_pb2.Profile(start_ns=1, end_ns=2)
    profile.events.add(name="mul", type=profiler_pb2.Event.GPUKernel)
    assert profiler_pb2.Profile.FromString(profile.SerializeToString()).events[0].name == "mul"
