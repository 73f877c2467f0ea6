"""Blocks: operators are appended, put before others, inserted and removed; variables declared, found and renamed."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError, NotFoundError
from refluid.ir.verify import verify


@pytest.fixture
def block():
    return fluid.default_main_program().global_block()


@pytest.fixture
def x(block):
    return block.create_var(name="x", shape=[-1, 3], dtype="float32", is_data=True)


def types(block):
    return [op.type for op in block.ops]


def scale(block, add, source, target, by):
    out = block.create_var(name=target)
    return add(type="scale", inputs={"X": [source]}, outputs={"Out": [out]}, attrs={"scale": by})


def test_append_op_infers_shapes_and_fills_in_attributes(block, x):
    op = scale(block, block.append_op, x, "y", 2.0)
    y = block.var("y")
    assert y.shape == (-1, 3) and y.dtype == fluid.core.VarDesc.VarType.FP32
    assert y.op is op
    assert op.attr("scale") == 2.0 and op.attr("bias") == 0.0 and op.attr("bias_after_scale") is True
    assert (op.input_names, op.output_names) == (["X"], ["Out"])
    assert (op.input("X"), op.output("Out")) == (["x"], ["y"])
    assert (op.input_arg_names, op.output_arg_names) == (["x"], ["y"])
    assert op.input("Nothing") == []
    assert op.has_attr("scale") and not op.has_attr("colour")
    assert op.all_attrs()["scale"] == 2.0 and "scale" in op.attr_names


def test_operators_run_in_the_order_in_which_they_stand(block, x):
    scale(block, block.append_op, "x", "b", 10.0)
    block._prepend_op(type="scale", inputs={"X": ["x"]}, outputs={"Out": ["x"]}, attrs={"bias": 1.0})
    block._insert_op(1, type="scale", inputs={"X": ["x"]}, outputs={"Out": ["x"]}, attrs={"scale": 2.0})
    assert [op.attr("bias") for op in block.ops] == [1.0, 0.0, 0.0]
    exe = fluid.Executor()
    (found,) = exe.run(feed={"x": np.ones((1, 3), np.float32)}, fetch_list=["b"])
    assert found.tolist() == [[40.0] * 3]
    block._remove_op(1)
    (found,) = exe.run(feed={"x": np.ones((1, 3), np.float32)}, fetch_list=["b"])
    assert found.tolist() == [[20.0] * 3]
    verify(fluid.default_main_program())


def test_every_change_moves_the_version_on(block, x):
    program = fluid.default_main_program()
    versions = [program.version]
    op = scale(block, block.append_op, x, "y", 2.0)
    versions.append(program.version)
    op._set_attr("scale", 3.0)
    versions.append(program.version)
    block._rename_var("y", "z")
    versions.append(program.version)
    block._remove_op(0)
    versions.append(program.version)
    block._remove_var("z")
    versions.append(program.version)
    assert versions == sorted(set(versions))


def test_an_attribute_set_later_is_the_one_that_runs(block, x):
    op = scale(block, block.append_op, x, "y", 2.0)
    exe, feed = fluid.Executor(), {"x": np.ones((1, 3), np.float32)}
    assert exe.run(feed=feed, fetch_list=["y"])[0][0, 0] == 2.0
    op._set_attr("scale", 5.0)
    assert exe.run(feed=feed, fetch_list=["y"])[0][0, 0] == 5.0


def test_renaming_a_variable_renames_every_use(block, x):
    y = fluid.layers.relu(x)
    fluid.layers.mean(y)
    block._rename_var(y.name, "hidden")
    assert y.name == "hidden" and block.has_var("hidden") and not block.has_var("relu_0.tmp_0")
    assert block.ops[0].output("Out") == block.ops[1].input("X") == ["hidden"]
    verify(fluid.default_main_program())


def test_a_variable_declared_twice_is_one(block, x):
    assert block.create_var(name="x", shape=[7]) is x


def test_a_variable_is_found_in_enclosing_blocks_only_when_asked_so(block, x):
    inner = fluid.default_main_program()._create_block()
    assert inner.idx == 1 and inner.parent_idx == 0
    assert inner._find_var_recursive("x") is x and inner._var_recursive("x") is x
    assert not inner.has_var("x")
    with pytest.raises(NotFoundError, match="'x' is not in block 1"):
        inner.var("x")
    with pytest.raises(NotFoundError, match="'y' is in no block"):
        inner._var_recursive("y")
    fluid.default_main_program()._rollback()
    assert fluid.default_main_program().current_block() is block


@pytest.mark.parametrize(
    "inputs, outputs, attrs, says",
    [
        ({}, {"Out": "y"}, {}, "scale: input X is missing"),
        ({"X": ["x", "x"]}, {"Out": "y"}, {}, "scale: input X takes one variable, got 2"),
        ({"X": "w"}, {"Out": "y"}, {}, "scale: input X names 'w', which is not in the program"),
        ({"X": "x"}, {}, {}, "scale: it has no output; there is Out"),
        ({"X": 3}, {"Out": "y"}, {}, "scale: input X must be a variable or its name, got 3"),
    ],
)
def test_an_operator_that_is_not_legal_is_not_appended(block, x, inputs, outputs, attrs, says):
    with pytest.raises((ArgumentError, NotFoundError)) as caught:
        block.append_op(type="scale", inputs=inputs, outputs=outputs, attrs=attrs)
    assert says in str(caught.value)
    assert block.ops == []


@pytest.mark.parametrize(
    "inputs, outputs, attrs, says",
    [
        ({"X": "x", "Y": "x"}, {"Out": "y"}, {}, "scale: there is no input Y; it has X"),
        ({"X": "x"}, {"Out": "y", "Y": "y"}, {}, "scale: there is no output Y; it has Out"),
        ({"X": "x"}, {"Out": "y"}, {"colour": object()}, "scale: there is no attribute colour; it has scale"),
    ],
)
def test_what_an_operator_does_not_have_is_passed_over(block, x, inputs, outputs, attrs, says):
    with pytest.warns(UserWarning, match=says):
        op = block.append_op(type="scale", inputs=inputs, outputs=outputs, attrs=attrs)
    assert (op.inputs, op.outputs, op.has_attr("colour")) == ({"X": ["x"]}, {"Out": ["y"]}, False)


def test_numbers_and_arrays_of_numpy_are_plain_attributes(block, x):
    op = block.append_op("scale", {"X": x}, {"Out": "y"}, {"scale": np.float32(2.0), "bias": 1})
    assert type(op.attr("scale")) is type(op.attr("bias")) is float
    shape = {"shape": np.array([-1, 2])}
    assert block.append_op("reshape2", {"X": x}, {"Out": "z", "XShape": "s"}, shape).attr("shape") == [-1, 2]


def test_an_unknown_operator_and_attribute_are_named(block, x):
    with pytest.raises(NotFoundError, match="skale"):
        block.append_op(type="skale", inputs={"X": x})
    op = scale(block, block.append_op, x, "y", 2.0)
    with pytest.raises(NotFoundError, match="scale: there is no attribute 'colour'"):
        op.attr("colour")
    op._set_attr("colour", "red")  # Fluid: tools leave notes for one another
    assert op.attr("colour") == "red"


def test_variables_support_arithmetic_and_slices(block, x):
    y = (x + 10) * 2 - x / 4
    y += 1
    first, part = x[0], x[1:3, ::2]
    bigger = x > 1.5
    assert y.shape == (-1, 3) and part.shape == (-1, 2) and bigger.dtype == fluid.core.VarDesc.VarType.BOOL
    feed = {"x": np.arange(12, dtype=np.float32).reshape(4, 3)}
    found = fluid.Executor().run(feed=feed, fetch_list=[y, first, part, bigger])
    value = feed["x"]
    assert np.allclose(found[0], (value + 10) * 2 - value / 4 + 1)
    assert np.array_equal(found[1].ravel(), value[0])
    assert np.array_equal(found[2], value[1:3, ::2])
    assert np.array_equal(found[3], value > 1.5)
