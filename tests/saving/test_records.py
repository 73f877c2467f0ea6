"""Program files are read and written as protobuf does, without protobuf."""

import pytest

import paddle.fluid as fluid
from refluid.saving import framework_messages, schema
from refluid.saving.records import records


@pytest.fixture(scope="module")
def program_bytes():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [None, 1, 8, 8], lod_level=1)
        y = fluid.layers.batch_norm(fluid.layers.conv2d(x, 2, 3, act="relu"))
        array = fluid.layers.array_write(y, fluid.layers.fill_constant([1], "int64", 2**40))
        loss = fluid.layers.mean(fluid.layers.array_read(array, fluid.layers.fill_constant([1], "int64", -1)))
        fluid.optimizer.Adam(0.1).minimize(loss)
    return main.desc.serialize_to_string()


def test_protobuf_reads_and_writes_the_same_bytes(program_bytes):
    message = framework_messages.ProgramDesc.FromString(program_bytes)
    assert message.SerializeToString() == program_bytes
    record = schema.ProgramDesc()
    record.ParseFromString(message.SerializeToString())
    assert record.SerializeToString() == program_bytes
    assert [op.type.decode() for op in record.blocks[0].ops] == [op.type for op in message.blocks[0].ops]


def test_numbers_of_every_kind_come_back():
    attr = schema._records["OpDesc.Attr"]
    made = attr(
        name=b"a", type=3, i=-1, f=0.5, ints=[0, -(2**31), 2**31 - 1], bools=[True, False], longs=[-(2**63), 2**63 - 1]
    )
    again = attr()
    again.ParseFromString(made.SerializeToString())
    assert vars(again) == vars(made) and not again.HasField("s") and again.s == b""
    message = framework_messages.OpDesc.Attr.FromString(made.SerializeToString())
    assert list(message.longs) == made.longs and message.SerializeToString() == made.SerializeToString()


def test_numbers_side_by_side_and_fields_of_later_releases_are_read():
    packed = records({"R": "1 numbers rep int32\n2 floats rep float\n3 kept opt int32 =7"}, {})["R"]()
    packed.ParseFromString(b"\x0a\x03\x01\x02\x03\x12\x04\x00\x00\x00\x3f\x7a\x01x\x78\x05")
    assert (packed.numbers, packed.floats, packed.kept) == ([1, 2, 3], [0.5], 7)


@pytest.mark.parametrize("cut", [1, 5, 40, -1])
def test_what_is_cut_off_is_refused(program_bytes, cut):
    with pytest.raises(ValueError):
        schema.ProgramDesc().ParseFromString(program_bytes[:cut])


def test_what_does_not_fit_or_is_missing_is_refused():
    attr = schema._records["OpDesc.Attr"]
    with pytest.raises(ValueError, match="i: 2147483648 does not fit into int32"):
        attr(name=b"a", type=0, i=2**31).SerializeToString()
    with pytest.raises(ValueError, match="Attr has no type"):
        attr(name=b"a").SerializeToString()
    with pytest.raises(AttributeError, match="Attr has no field 'x'"):
        attr().x
