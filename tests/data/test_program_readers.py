"""fluid.layers.py_reader and its kin: readers that a program takes its data from."""

import numpy as np
import pytest

from paddle import fluid
from refluid.core.errors import EOFException
from refluid.data.loading.py_reader import create_py_reader_by_data, double_buffer, py_reader, read_file

CPU = fluid.CPUPlace()


@pytest.fixture(autouse=True)
def program():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        yield


def sample_lists():
    for i in range(3):
        yield [(np.full(3, i), i)] * 2


def batches():
    for i in range(3):
        yield np.full((2, 3), i, "float32"), np.full((2, 1), i, "int64")


def epoch(*fetches):
    exe, values = fluid.Executor(CPU), []
    try:
        while True:
            values.append([float(value[0]) for value in exe.run(fetch_list=list(fetches))])
    except EOFException:
        return values


def sums(variables):
    return [fluid.layers.reduce_sum(fluid.layers.cast(var, "float32")) for var in variables]


@pytest.mark.parametrize(
    ("decorate", "source"),
    [
        ("decorate_paddle_reader", sample_lists),
        ("decorate_sample_list_generator", sample_lists),
        ("decorate_tensor_provider", batches),
        ("decorate_batch_generator", batches),
    ],
)
def test_a_py_reader_fills_the_variables_of_read_file(decorate, source):
    reader = py_reader(4, [(-1, 3), (-1, 1)], ["float32", "int64"], lod_levels=[0, 0], name="train")
    x, y = read_file(reader)
    assert reader.name == "train_double_buffer"
    assert (x.name, y.name) == ("read_file_0.tmp_0", "read_file_0.tmp_1")  # Fluid's names
    getattr(reader, decorate)(source)
    fetches = sums([x, y])
    for _ in range(2):
        reader.start()
        assert epoch(*fetches) == [[0, 0], [6, 2], [12, 4]]
        reader.reset()


def test_one_field_is_one_variable():
    reader = double_buffer(py_reader(4, [(-1, 1)], ["int64"], [1], use_double_buffer=False))
    words = read_file(reader)
    assert words.lod_level == 1
    reader.decorate_paddle_reader(lambda: iter([[([1, 2],), ([3],)]]))
    reader.start()
    (fetched,) = fluid.Executor(CPU).run(fetch_list=[words], return_numpy=False)
    assert fetched.recursive_sequence_lengths() == [[2, 1]]
    reader.reset()


def test_a_reader_in_the_likeness_of_variables():
    image, label = fluid.layers.data("image", [3]), fluid.layers.data("label", [1], dtype="int64")
    reader = create_py_reader_by_data(4, [image, label])
    x, y = read_file(reader)
    assert (x.shape, y.dtype) == (image.shape, label.dtype)
    reader.decorate_paddle_reader(sample_lists)
    fetches = sums([x, y])
    reader.start()
    assert len(epoch(*fetches)) == 3
    reader.reset()


def test_two_readers_feed_one_program():
    first, second = py_reader(4, [(-1, 3)], ["float32"]), py_reader(4, [(-1, 3)], ["float32"])
    total = fluid.layers.reduce_sum(read_file(first) + read_file(second))
    for reader, scale in ((first, 1), (second, 10)):
        reader.decorate_tensor_provider(lambda scale=scale: ([np.full((1, 3), i * scale, "float32")] for i in range(2)))
        reader.start()
    assert epoch(total) == [[0], [33]]
    first.reset()
    second.reset()


def test_reading_in_both_training_and_test_programs():
    """As programs of 1.4 do: one reader each, parameters shared by name."""
    programs, results = [], []
    for _ in range(2):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            reader = py_reader(4, [(-1, 3)], ["float32"])
            out = fluid.layers.reduce_sum(fluid.layers.fc(read_file(reader), 2))
        reader.decorate_tensor_provider(lambda: iter([[np.ones((2, 3), "float32")]]))
        programs.append((main, startup, reader, out))
    exe = fluid.Executor(CPU)
    exe.run(programs[0][1])
    for main, _, reader, out in programs:
        reader.start()
        results.append(float(exe.run(main, fetch_list=[out])[0][0]))
        reader.reset()
    assert results[0] == results[1] != 0


def test_errors():
    with pytest.raises(ValueError, match="one entry per field, got 2, 1 and 2"):
        py_reader(4, [(-1, 3), (-1, 1)], ["float32"])
    with pytest.raises(ValueError, match="expected what py_reader returns, got str"):
        read_file("reader")
    with pytest.raises(ValueError, match="expected what py_reader returns, got str"):
        double_buffer("reader")
    with fluid.dygraph.guard(), pytest.raises(TypeError, match="static mode"):
        py_reader(4, [(-1, 3)], ["float32"])
    reader = py_reader(4, [(-1, 3)], ["float32"])
    reader.decorate_paddle_reader(lambda: iter([[(1, 2)]]))
    total = fluid.layers.reduce_sum(read_file(reader))
    reader.start()
    with pytest.raises(ValueError, match="sample 0 has 2 fields, expected 1: field 0"):
        fluid.Executor(CPU).run(fetch_list=[total])


def test_what_a_reader_fills_is_in_the_scope_if_it_is_persistable(tmp_path):
    reader = fluid.layers.py_reader(4, [(-1, 2)], ["float32"])
    x = fluid.layers.read_file(reader)
    x.persistable = True
    out = fluid.layers.scale(x, 2.0)
    reader.decorate_tensor_provider(lambda: iter([[np.ones((3, 2), "float32")]]))
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    reader.start()
    exe.run(fetch_list=[out])
    reader.reset()
    assert np.array(fluid.global_scope().find_var(x.name).get_tensor()).tolist() == [[1.0, 1.0]] * 3
    fluid.io.save_vars(exe, str(tmp_path), fluid.default_main_program(), vars=[x])
    assert (tmp_path / x.name).stat().st_size > 24
