"""Programs that somebody made wrong on purpose are refused with the file, the block and the operator in the words."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet
from refluid.saving.schema import ProgramDesc


@pytest.fixture
def model(tmp_path):
    """A folder with a model that has two fetches and a loop."""
    main, startup = fluid.Program(), fluid.Program()
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        y = fluid.layers.fc(fluid.data("x", [None, 4]), 2)
        start, end = (fluid.layers.fill_constant([1], "int64", value) for value in (0, 3))
        (count,) = fluid.layers.while_loop(
            lambda i: fluid.layers.less_than(i, end), lambda i: [fluid.layers.increment(i)], [start]
        )
        exe.run(startup)
        fluid.io.save_inference_model(str(tmp_path), ["x"], [y, count], exe, main_program=main)
    return tmp_path


def load(folder):
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        program, names, targets = fluid.io.load_inference_model(str(folder), exe)
        return exe.run(program, feed={names[0]: np.ones((2, 4), "float32")}, fetch_list=targets)


def changed(folder, change):
    path = folder / "__model__"
    desc = ProgramDesc()
    desc.ParseFromString(path.read_bytes())
    change(desc)
    path.write_bytes(desc.SerializeToString())


def operator(desc, kind):
    return next(op for block in desc.blocks for op in block.ops if op.type == kind)


def set_attr(op, name, field, value):
    setattr(next(attr for attr in op.attrs if attr.name == name), field, value)


def test_the_model_is_good(model):
    assert [value.shape for value in load(model)] == [(2, 2), (1,)]


@pytest.mark.parametrize(("kind", "column"), [("feed", -1), ("feed", 1 << 30), ("fetch", -1), ("fetch", 7)])
def test_columns_out_of_range_are_refused(model, kind, column):
    changed(model, lambda desc: set_attr(operator(desc, kind.encode()), b"col", "i", column))
    with pytest.raises(EnforceNotMet, match=rf"the {kind} operators .* columns .*{column}"):
        load(model)


def test_feeds_that_leave_columns_out_are_named_at_their_columns_as_in_fluid(model):
    changed(model, lambda desc: set_attr(operator(desc, b"feed"), b"col", "i", 2))
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        with pytest.warns(UserWarning, match=r"the feeds x of the model have the columns \[2\], not 0 to 0"):
            program, names, targets = fluid.io.load_inference_model(str(model), exe)
        assert names == ["", "", "x"]
        assert exe.run(program, feed={"x": np.ones((2, 4), "float32")}, fetch_list=targets)[0].shape == (2, 2)


@pytest.mark.parametrize(("kind", "slots"), [("feed", "outputs"), ("fetch", "inputs")])
def test_feeds_and_fetches_of_nothing_are_refused(model, kind, slots):
    def change(desc):
        for entry in getattr(operator(desc, kind.encode()), slots):
            del entry.arguments[:]

    changed(model, change)
    with pytest.raises(EnforceNotMet, match=f"the {kind} operator of column 0 names 0 variables"):
        load(model)


def test_feeds_of_unknown_variables_are_refused(model):
    def change(desc):
        operator(desc, b"feed").outputs[0].arguments[0] = b"nobody"

    changed(model, change)
    with pytest.raises(EnforceNotMet, match="the feed operator of column 0 names 'nobody', which is no variable"):
        load(model)


@pytest.mark.parametrize(("index", "words"), [(0, "runs block 0"), (77, "has 2 blocks"), (-3, "runs block -3")])
def test_blocks_that_are_none_are_refused(model, index, words):
    changed(model, lambda desc: set_attr(operator(desc, b"while"), b"sub_block", "block_idx", index))
    with pytest.raises(EnforceNotMet, match=rf"__model__: .*the operator while of block 0 .*{words}"):
        load(model)


def test_an_operator_that_runs_no_block_is_refused(model):
    def change(desc):
        attrs = operator(desc, b"while").attrs
        del attrs[[attr.name for attr in attrs].index(b"sub_block")]

    changed(model, change)
    with pytest.raises(EnforceNotMet, match="__model__: .*while of block 0 must have a block as sub_block, got none"):
        load(model)


def test_a_number_in_place_of_a_block_is_refused(model):
    def change(desc):
        set_attr(operator(desc, b"while"), b"sub_block", "type", 0)
        set_attr(operator(desc, b"while"), b"sub_block", "i", 1)

    changed(model, change)
    with pytest.raises(EnforceNotMet, match="__model__: .*while of block 0 must have a block as sub_block, got int 1"):
        load(model)


def test_an_operator_without_its_input_is_refused(model):
    def change(desc):
        del operator(desc, b"mul").inputs[:]

    changed(model, change)
    with pytest.raises(EnforceNotMet, match="mul: input X is missing"):
        load(model)


def test_thousands_of_blocks_inside_one_another_are_refused(model):
    def change(desc):
        inner = desc.blocks[1].SerializeToString()
        for index in range(2, 10_000):
            block = desc.blocks.add()
            block.ParseFromString(inner)
            block.idx, block.parent_idx = index, index - 1

    changed(model, change)
    with pytest.raises(EnforceNotMet, match="__model__: block 101 is nested 101 blocks deep"):
        load(model)


def with_inner_loops(desc, count, times=1):
    """Blocks that all say that they lie in block 0, each run by an operator of the one before."""
    inner, loop = desc.blocks[1].SerializeToString(), operator(desc, b"while").SerializeToString()
    for index in range(2, count):
        block = desc.blocks.add()
        block.ParseFromString(inner)
        block.idx, block.parent_idx = index, 0
        for _ in range(times):
            op = desc.blocks[index - 1].ops.add()
            op.ParseFromString(loop)
            set_attr(op, b"sub_block", "block_idx", index)


def test_operators_that_run_thousands_of_blocks_inside_one_another_are_refused(model):
    changed(model, lambda desc: with_inner_loops(desc, 10_000))
    with pytest.raises(EnforceNotMet, match="__model__: block 101 is nested 101 blocks deep"):
        load(model)


def test_blocks_that_would_be_walked_over_2_to_the_60_times_are_refused(model):
    changed(model, lambda desc: with_inner_loops(desc, 60, times=2))
    with pytest.raises(EnforceNotMet, match="__model__: 16384 paths lead to block 15"):
        load(model)


def test_a_tensor_that_no_machine_holds_is_refused_with_its_operator(model):
    def change(desc):
        shape = next(attr for attr in operator(desc, b"fill_constant").attrs if attr.name == b"shape")
        del shape.longs[:]
        shape.longs.extend([1 << 20, 1 << 20])

    changed(model, change)
    with pytest.raises(EnforceNotMet, match="fill_constant: the result does not fit into memory"):
        load(model)
