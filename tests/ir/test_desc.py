"""`.desc`: programs and their parts as Fluid's own Python code saw them."""

import paddle.fluid as fluid
from paddle.fluid import core


def small():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        fluid.layers.relu(fluid.layers.fc(fluid.data("x", [None, 4]), 2))
    return main


def test_what_is_set_on_a_desc_is_set_on_the_thing():
    main = small()
    block = main.global_block()
    block.var("x").desc.set_shape([5, 4])
    assert block.var("x").shape == (5, 4)
    mul, add, _ = block.ops
    mul.desc.infer_shape(block.desc)
    assert block.var("fc_0.tmp_0").shape == (5, 2)
    add.desc._rename_input("fc_0.b_0", "other")
    assert add.input("Y") == ["other"]
    assert mul.desc.input_arg_names() == mul.input_arg_names
    assert main.desc.block(0).op(2).type() == "relu" and block.ops[2].idx == 2


def test_an_attribute_of_any_name_is_kept_in_files():
    main = small()
    op = main.global_block().ops[0]
    for name, value in (("quantization_type", "post_kl"), ("out_threshold", 1.5), ("bits", 8), ("scales", [0.5, 2.0])):
        op._set_attr(name, value)
    read = fluid.Program.parse_from_string(main.desc.serialize_to_string()).global_block().ops[0]
    assert read.attr("quantization_type") == "post_kl" and read.attr("out_threshold") == 1.5
    assert read.attr("bits") == 8 and read.attr("scales") == [0.5, 2.0]
    assert op.attr_type("scales") == "FLOATS" and op.attr_type("bits") == "INT"


def test_descs_are_made_without_a_program():
    var = core.VarDesc("v")
    var.set_shape([2, 3])
    var.set_dtype(core.VarDesc.VarType.INT8)
    assert (var.name(), var.shape(), var.dtype(), var.persistable()) == ("v", [2, 3], core.VarDesc.VarType.INT8, False)
    op = core.OpDesc()
    op.set_type("scale")
    op.set_input("X", ["v"])
    op.set_output("Out", ["w"])
    op.check_attrs()
    assert op.input("X") == ["v"] and op.attr("scale") == 1.0


def test_a_program_desc_is_copied_and_read_from_bytes():
    main = small()
    for desc in (core.ProgramDesc(main.desc), core.ProgramDesc(main.desc.serialize_to_string())):
        assert [desc.block(0).op(i).type() for i in range(desc.block(0).op_size())] == [
            "mul",
            "elementwise_add",
            "relu",
        ]
        assert desc.block(0).find_var("x").shape() == [-1, 4] and desc.block(0).find_var("y") is None
    main.desc._set_version(1007000)
    assert main.desc._version() == 1007000
