"""The operators that loaders write into programs: those of 1.8.5, whatever becomes of the program."""

import numpy as np
import pytest

from paddle import fluid
from refluid.core.dtypes import VarType
from refluid.core.errors import EnforceNotMet, EOFException
from refluid.data.loading.data_loader import DataLoader
from refluid.data.loading.py_reader import PyReader, create_py_reader_by_data, double_buffer, py_reader, read_file

CPU = fluid.CPUPlace()


def ops(program):
    return [(op.type, op.input_arg_names, op.output_arg_names) for op in program.global_block().ops]


def variables():
    return fluid.layers.data("x", [3]), fluid.layers.data("y", [1], dtype="int64")


def batches():
    for i in range(3):
        yield np.full((2, 3), i, "float32"), np.full((2, 1), i, "int64")


def epoch(program, total):
    exe, found = fluid.Executor(CPU), []
    try:
        while True:
            found.append(float(exe.run(program, fetch_list=[total.name])[0][0]))
    except EOFException:
        return found


def numbers_removed(found):
    """The names of these readers go on counting as long as the process lives."""
    return [(kind, *([name.rpartition("_")[0] or name for name in names] for names in sides)) for kind, *sides in found]


@pytest.mark.parametrize("make", [PyReader, DataLoader.from_generator])
def test_a_loader_of_a_program_writes_what_it_reads(make):
    make(feed_list=variables(), capacity=4, iterable=False)
    main = fluid.default_main_program()
    assert numbers_removed(ops(main)) == [
        ("create_py_reader", ["lod_tensor_blocking_queue"], ["create_py_reader"]),
        ("create_double_buffer_reader", ["create_py_reader"], ["double_buffer"]),
        ("read", ["double_buffer"], ["x", "y"]),
    ]
    create, buffer, read = main.global_block().ops
    want = {
        "shape_concat": [-1, 3, -1, 1], "ranks": [2, 2], "lod_levels": [0, 0], "dtypes": [5, 3],
        "need_check_feed": [0, 0], "use_data_config": True, "device_index": 0, "device_count": 1,
    }  # fmt: skip
    assert {name: create.attr(name) for name in want} == want
    assert buffer.attr("place") == "AUTO"
    assert all(read.attr(name) is True for name in ("throw_eof_exp", "infer_out", "drop_last"))
    reader = main.global_block().var(create.output("Out")[0])
    assert reader.type == VarType.READER and reader.persistable and reader.stop_gradient
    assert ops(fluid.default_startup_program()) == []


def test_without_a_double_buffer_the_reader_itself_is_read():
    PyReader(variables(), capacity=4, use_double_buffer=False, iterable=False)
    kinds = [op.type for op in fluid.default_main_program().global_block().ops]
    assert kinds == ["create_py_reader", "read"]


def test_an_iterable_loader_leaves_programs_alone():
    PyReader(variables(), capacity=4)
    assert ops(fluid.default_main_program()) == []


def test_a_py_reader_is_made_by_the_startup_program():
    read_file(py_reader(4, [(-1, 3), (-1, 1)], ["float32", "int64"], name="train"))
    assert ops(fluid.default_startup_program()) == [("create_py_reader", ["train_queue"], ["train_reader"])]
    assert ops(fluid.default_main_program()) == [
        ("create_double_buffer_reader", ["train_reader"], ["train_double_buffer"]),
        ("read", ["train_double_buffer"], ["read_file_0.tmp_0", "read_file_0.tmp_1"]),
    ]
    fluid.Executor(CPU).run(fluid.default_startup_program())


def test_a_py_reader_without_a_name_is_numbered():
    read_file(create_py_reader_by_data(4, variables()))
    assert ops(fluid.default_startup_program()) == [
        ("create_py_reader", ["lod_tensor_blocking_queue_0"], ["create_py_reader_0"])
    ]
    assert ops(fluid.default_main_program())[0] == (
        "create_double_buffer_reader", ["create_py_reader_0"], ["double_buffer_0"]
    )  # fmt: skip


def test_a_double_buffer_of_ones_own():
    reader = py_reader(4, [(-1, 3), (-1, 1)], ["float32", "int64"], lod_levels=[0, 1], use_double_buffer=False)
    read_file(double_buffer(reader, place=CPU))
    assert ops(fluid.default_main_program())[0] == (
        "create_double_buffer_reader", ["create_py_reader_0"], ["create_double_buffer_reader_0"]
    )  # fmt: skip
    assert fluid.default_main_program().global_block().ops[0].attr("place") == "CPUPlace"
    assert fluid.default_startup_program().global_block().ops[0].attr("lod_levels") == [0, 1]


def copies(main, total):
    yield "clone", main.clone()
    yield "clone for testing", main.clone(for_test=True)
    yield "from a file", fluid.Program.parse_from_string(main.desc.serialize_to_string())
    yield "pruned", main._prune([total])


@pytest.mark.parametrize("inside", [False, True])
def test_copies_of_a_program_read_from_the_same_loader(inside):
    if inside:
        reader = py_reader(4, [(-1, 3), (-1, 1)], ["float32", "int64"])
        x, _ = read_file(reader)
        reader.decorate_tensor_provider(batches)
    else:
        x, y = variables()
        reader = PyReader([x, y], capacity=4, iterable=False)
        reader.decorate_batch_generator(batches)
    total = fluid.layers.reduce_sum(x)
    for what, program in copies(fluid.default_main_program(), total):
        reader.start()
        assert epoch(program, total) == [0, 6, 12], what
        reader.reset()


def test_a_part_of_a_program_that_is_fed_reads_nothing():
    x, y = variables()
    PyReader([x, y], capacity=4, iterable=False)
    total = fluid.layers.reduce_sum(x)
    part = fluid.default_main_program()._prune([total], [x])
    assert part.readers == [] and [op.type for op in part.global_block().ops] == ["reduce_sum"]
    assert fluid.Executor(CPU).run(part, feed={"x": np.ones((2, 3), "float32")}, fetch_list=[total])[0] == 6


def test_persistables_are_saved_without_readers(tmp_path):
    x, y = variables()
    PyReader([x, y], capacity=4, iterable=False)
    fluid.layers.fc(x, 2)
    exe = fluid.Executor(CPU)
    exe.run(fluid.default_startup_program())
    fluid.io.save_persistables(exe, str(tmp_path))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["fc_0.b_0", "fc_0.w_0"]


def test_a_program_from_a_file_whose_loader_is_gone_says_what_is_missing():
    x, y = variables()
    reader = PyReader([x, y], capacity=4, iterable=False)
    total = fluid.layers.reduce_sum(x)
    saved = fluid.default_main_program().desc.serialize_to_string()
    fluid.default_main_program().readers.clear()
    del reader
    with pytest.raises(EnforceNotMet, match="'x' is missing|reads 'x'"):
        fluid.Executor(CPU).run(fluid.Program.parse_from_string(saved), fetch_list=[total.name])


def test_every_place_reads_a_batch_of_its_own():
    x, y = variables()
    reader = PyReader([x, y], capacity=4, iterable=False)
    reader.decorate_batch_generator(batches)
    total = fluid.layers.reduce_sum(x)
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(places=[CPU] * 2)
    exe = fluid.Executor(CPU)
    reader.start()
    assert exe.run(program, fetch_list=[total])[0].tolist() == [0.0, 6.0]
    with pytest.raises(EOFException):  # one batch is left, which is too little for two places
        exe.run(program, fetch_list=[total])
    reader.reset()


def test_every_place_reads_beside_what_is_fed():
    x, y = variables()
    z = fluid.layers.data("z", [3])
    reader = PyReader([x, y], capacity=4, iterable=False)
    reader.decorate_batch_generator(batches)
    total = fluid.layers.reduce_sum(x + z)
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(places=[CPU] * 2)
    reader.start()
    fed = np.arange(4, dtype="float32").reshape(4, 1).repeat(3, 1)
    (got,) = fluid.Executor(CPU).run(program, feed={"z": fed}, fetch_list=[total])
    assert got.tolist() == [3.0, 6.0 + 15.0]
    reader.reset()
