"""Readers of programs of 1.5 whose batches are shuffled, joined and computed with on their way."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers


@pytest.fixture
def path(tmp_path):
    """Eight records: sequences of ids, and a number."""
    ids, number = fluid.data("ids", [-1, 1], "int64", lod_level=1), fluid.data("number", [-1, 1])
    feeder = fluid.DataFeeder([ids, number], fluid.CPUPlace())
    name = str(tmp_path / "data.recordio")
    fluid.recordio_writer.convert_reader_to_recordio_file(
        name, lambda: ([(list(range(i % 3 + 1)), [float(i)])] for i in range(8)), feeder
    )
    return name


def opened(path):
    return layers.open_files(path, shapes=[[-1, 1], [-1, 1]], lod_levels=[1, 0], dtypes=["int64", "float32"])


def read(reader, variables=None):
    """Everything that the program gets, until the end."""
    found, variables = [], variables or layers.read_file(reader)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    with pytest.raises(fluid.core.EOFException):
        while True:
            found.append(exe.run(fetch_list=list(variables), return_numpy=False))
    return found


def test_batches_are_joined_and_a_rest_is_left_out(path):
    found = read(layers.batch(opened(path), batch_size=3))
    assert [np.array(number).ravel().tolist() for _, number in found] == [[0, 1, 2], [3, 4, 5]]
    ids = found[0][0]
    assert ids.recursive_sequence_lengths() == [[1, 2, 3]] and np.array(ids).ravel().tolist() == [0, 0, 1, 0, 1, 2]


def test_batches_are_shuffled_within_a_buffer(path):
    whole = [np.array(number).item() for _, number in read(layers.shuffle(opened(path), buffer_size=8))]
    assert sorted(whole) == list(range(8)) and whole != sorted(whole)
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        halves = [np.array(number).item() for _, number in read(layers.shuffle(opened(path), buffer_size=4))]
    assert sorted(halves[:4]) == [0, 1, 2, 3] and sorted(halves[4:]) == [4, 5, 6, 7]


def test_batches_go_through_operators(path):
    preprocessor = layers.Preprocessor(reader=layers.batch(opened(path), 2))
    with preprocessor.block():
        ids, number = preprocessor.inputs()
        preprocessor.outputs(number * 2.0, layers.sequence_pool(layers.cast(ids, "float32"), "sum"), ids)
    number, total, ids = layers.read_file(layers.double_buffer(preprocessor()))
    assert number.shape == (-1, 1) and ids.lod_level == 1
    found = read(None, [number, total, ids])
    assert [np.array(n).ravel().tolist() for n, _, _ in found] == [[0, 2], [4, 6], [8, 10], [12, 14]]
    assert np.array(found[0][1]).ravel().tolist() == [0, 1]
    assert found[0][2].recursive_sequence_lengths() == [[1, 2]]


def test_a_source_that_is_set_later_is_changed_too():
    reader = layers.batch(layers.py_reader(4, [[-1, 2]], ["float32"], use_double_buffer=False), 2)
    x = layers.read_file(reader)
    reader.decorate_tensor_provider(lambda: ([np.full((1, 2), i, "float32")] for i in range(4)))
    reader.start()
    found = read(None, [x])
    assert [np.array(one[0])[:, 0].tolist() for one in found] == [[0, 1], [2, 3]]


def in_block(use):
    def call():
        preprocessor = layers.Preprocessor(layers.py_reader(4, [[-1, 2]], ["float32"]))
        with preprocessor.block():
            use(preprocessor)

    return call


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: layers.shuffle("files", 3), "shuffle: expected what py_reader returns, got str"),
        (lambda: layers.batch(layers.py_reader(4, [[-1, 2]], ["float32"]), 0), "batch_size must be a number of"),
        (lambda: layers.Preprocessor(None), "Preprocessor: expected what py_reader"),
        (lambda: layers.Preprocessor(layers.py_reader(4, [[-1, 2]], ["float32"])).inputs(), "inside `with"),
        (lambda: layers.Preprocessor(layers.py_reader(4, [[-1, 2]], ["float32"]))(), "call it after its block"),
        (in_block(lambda p: p.inputs()), "the block must call inputs"),
        (in_block(lambda p: p.outputs(3)), "it takes the variables that the program is to read"),
        (in_block(lambda p: p.outputs(layers.fc(p.inputs()[0], 2))), "its block must not create parameters"),
    ],
)  # fmt: skip
def test_refusals(call, says):
    with pytest.raises(ValueError, match=says):
        call()
