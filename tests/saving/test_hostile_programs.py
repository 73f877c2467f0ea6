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


@pytest.mark.parametrize("kind", ["feed", "fetch"])
@pytest.mark.parametrize("column", [-1, 7])
def test_columns_out_of_range_are_refused(model, kind, column):
    changed(model, lambda desc: set_attr(operator(desc, kind.encode()), b"col", "i", column))
    with pytest.raises(EnforceNotMet, match=rf"the {kind} operators .* columns .*{column}"):
        load(model)


@pytest.mark.parametrize(("index", "words"), [(0, "runs block 0"), (77, "has 2 blocks"), (-3, "runs block -3")])
def test_blocks_that_are_none_are_refused(model, index, words):
    changed(model, lambda desc: set_attr(operator(desc, b"while"), b"sub_block", "block_idx", index))
    with pytest.raises(EnforceNotMet, match=rf"__model__: .*{words}"):
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
    with pytest.raises(EnforceNotMet, match="__model__: block 101 lies 101 blocks deep"):
        load(model)


def test_a_tensor_that_no_machine_holds_is_refused_with_its_operator(model):
    def change(desc):
        shape = next(attr for attr in operator(desc, b"fill_constant").attrs if attr.name == b"shape")
        del shape.longs[:]
        shape.longs.extend([1 << 20, 1 << 20])

    changed(model, change)
    with pytest.raises(EnforceNotMet, match="fill_constant: the result does not fit into memory"):
        load(model)
