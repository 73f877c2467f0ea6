"""Initializers given to the functions of a block, and the LoD levels that append_op declares."""

import numpy as np

import paddle.fluid as fluid


def test_an_initializer_given_to_a_block_writes_into_that_block():
    exe = fluid.Executor(fluid.CPUPlace())
    for program in (fluid.default_startup_program(), fluid.default_main_program()):
        block = program.global_block()
        first = fluid.initializer.Constant(3.0)
        made = block.create_parameter(name="w", shape=[2], dtype="float32", initializer=first)
        var = block.create_var(name="v", shape=[1], dtype="float32", persistable=True, initializer=first)
        assert [op.type for op in block.ops] == ["fill_constant"] * 2
        assert [found.tolist() for found in exe.run(program, fetch_list=[made, var])] == [[3.0, 3.0], [3.0]]


def test_append_op_declares_the_lod_levels_of_its_outputs():
    x = fluid.layers.data("x", [2], lod_level=1)
    block = fluid.default_main_program().global_block()
    out, pooled = block.create_var(name="out"), block.create_var(name="pooled")
    block.append_op("scale", {"X": x}, {"Out": out}, {"scale": 2.0})
    block.append_op("sequence_pool", {"X": out}, {"Out": pooled, "MaxIndex": "index"}, {"pooltype": "SUM"})
    assert (out.lod_level, pooled.lod_level) == (1, 0)


def test_a_parameter_may_have_no_rows():
    made = fluid.layers.create_parameter([0, 3], "float32", name="none")
    assert np.prod(made.shape) == 0
