"""DataFeeder. Expected shapes and values were seen in Fluid 1.8.5."""

import time

import numpy as np
import pytest

from paddle import fluid

CPU = fluid.CPUPlace()


@pytest.fixture(autouse=True)
def program():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        yield


def data(name, shape, dtype="float32", lod_level=0):
    return fluid.layers.data(name, shape, dtype=dtype, lod_level=lod_level)


def feed(var, *fields):
    """The one tensor of a batch whose samples have one field each."""
    return fluid.DataFeeder([var], CPU).feed([(field,) for field in fields])[var.name]


def told(tensor):
    array = np.array(tensor)
    return array.tolist(), str(array.dtype), tensor.recursive_sequence_lengths()


def test_dense_fields_take_the_declared_shape_and_dtype():
    assert told(feed(data("x", [1]), 1.0, 2.0)) == ([[1.0], [2.0]], "float32", [])
    assert told(feed(data("i", [1], "int64"), 1.7, 2)) == ([[1], [2]], "int64", [])
    assert feed(data("image", [1, 2, 2]), np.zeros(4)).shape() == [1, 1, 2, 2]
    assert feed(data("image2", [1, 2, 2]), np.zeros((2, 2))).shape() == [1, 1, 2, 2]


@pytest.mark.parametrize("dtype", ["uint8", "bool", "float16", "float64", "int32"])
def test_every_dtype_converts(dtype):
    assert told(feed(data("x", [1], dtype), 1, 0))[1] == dtype


def test_equal_ranks_are_not_reshaped():
    assert feed(data("image", [1, 2, 2]), np.zeros((3, 2, 2))).shape() == [1, 3, 2, 2]
    assert feed(fluid.data("fixed", [2, 3]), np.zeros(3)).shape() == [1, 3]


def test_two_open_sizes_leave_the_shape_alone():
    assert feed(fluid.data("t", [None, None, 3]), np.zeros((2, 4))).shape() == [1, 2, 4]


def test_sequences_of_numbers():
    assert told(feed(data("s", [1], "int64", 1), [1, 2], [3])) == ([[1], [2], [3]], "int64", [[2, 1]])
    assert told(feed(fluid.data("flat", [None], "int64", 1), [1, 2], [3])) == ([1, 2, 3], "int64", [[2, 1]])


def test_sequences_of_rows():
    rows = feed(data("s", [3], "float32", 1), [[1, 2, 3], [3, 4, 5]], [[4, 4, 4]])
    assert told(rows) == ([[1, 2, 3], [3, 4, 5], [4, 4, 4]], "float32", [[2, 1]])


def test_sequences_of_sequences_to_any_level():
    assert told(feed(data("two", [1], "int64", 2), [[1, 2], [3]], [[4]])) == (
        [[1], [2], [3], [4]],
        "int64",
        [[2, 1], [2, 1, 1]],
    )
    assert told(feed(data("three", [1], "int64", 3), [[[1], [2, 3]]], [[[4]], [[5]]])) == (
        [[1], [2], [3], [4], [5]],
        "int64",
        [[1, 2], [2, 1, 1], [1, 2, 1, 1]],
    )


def test_sequences_of_arrays():
    assert told(feed(data("s", [1], "int64", 1), np.array([1, 2]), np.array([3]))) == (
        [[1], [2], [3]],
        "int64",
        [[2, 1]],
    )
    assert feed(fluid.data("open", [None, None], "float32", 1), np.zeros((1, 3)), np.zeros((1, 3))).shape() == [2, 3]
    assert feed(data("rows", [2, 2], "float32", 1), np.zeros((3, 2, 2)), np.zeros((1, 2, 2))).shape() == [4, 2, 2]


def test_empty_sequences():
    assert told(feed(data("s", [1], "int64", 1), [], [3])) == ([[3]], "int64", [[0, 1]])
    assert feed(data("none", [1], "int64", 1), [], []).shape() == [0, 1]


def test_names_stand_for_variables_of_the_program():
    data("x", [1])
    data("y", [1], "int64")
    fed = fluid.DataFeeder(["x", "y"], CPU).feed([(1, 2)])
    assert {name: told(tensor)[1] for name, tensor in fed.items()} == {"x": "float32", "y": "int64"}


def test_a_batch_may_be_any_iterable():
    feeder = fluid.DataFeeder([data("x", [1])], CPU)
    assert feeder.feed((i,) for i in range(3))["x"].shape() == [3, 1]


def test_feed_parallel_gives_a_batch_to_every_place():
    feeder = fluid.DataFeeder([data("x", [1])], CPU)
    fed = list(feeder.feed_parallel([[(1,)], [(2,)]], num_places=2))
    assert [told(one["x"])[0] for one in fed] == [[[1.0]], [[2.0]]]
    with pytest.raises(ValueError, match="2 places need as many batches, got 1"):
        list(feeder.feed_parallel([[(1,)]], num_places=2))


def test_decorate_reader():
    feeder = fluid.DataFeeder([data("x", [1])], CPU)

    def reader():
        return iter([[(1,)], [(2,)], [(3,)]])

    assert [told(one["x"])[0] for one in feeder.decorate_reader(reader, False)()] == [[[1.0]], [[2.0]], [[3.0]]]
    pairs = list(feeder.decorate_reader(reader, True, 2)())
    assert [[told(one["x"])[0] for one in pair] for pair in pairs] == [[[[1.0]], [[2.0]]]]
    with pytest.raises(ValueError, match="1 batches are left over for 2 places"):
        list(feeder.decorate_reader(reader, True, 2, drop_last=False)())


def test_what_is_fed_runs():
    x = data("x", [2], "float32", 1)
    total = fluid.layers.sequence_pool(x, "sum")
    fed = fluid.DataFeeder([x], CPU).feed([([[1, 2], [3, 4]],), ([[5, 6]],)])
    (value,) = fluid.Executor(CPU).run(feed=fed, fetch_list=[total])
    assert value.tolist() == [[4, 6], [5, 6]]


@pytest.mark.parametrize(
    ("make", "batch", "says"),
    [
        (lambda: [data("x", [1]), data("y", [1])], [(1, 2), (1,)], "sample 1 has 1 fields, expected 2: x, y"),
        (lambda: [data("x", [1])], [1, 2], "sample 0 must be a tuple with one field per variable, got 1"),
        (lambda: [data("x", [1])], [(1,), ("a",)], "x: sample 1 is no float32 data: 'a'"),
        (lambda: [data("x", [1], "uint8")], [(1,), (300,)], "x: sample 1 is no uint8 data: 300"),
        (
            lambda: [data("x", [1], "int64", 1)],
            [([1],), (2,)],
            "x has lod_level=1, but sample 1 is nested less deeply: 2",
        ),
        (lambda: [data("x", [1], "int64", 2)], [([[1]],), ([2],)], "x has lod_level=2, but sample 1 is nested less"),
        (lambda: [data("x", [2])], [([1, 2],), ([1],)], r"x: sample 1 has the shape \[1\], those before it \[2\]"),
        (lambda: [data("x", [2], "float32", 1)], [([[1, 2]],), ([[1]],)], r"x: sample 1 has the shape \[1\]"),
        (lambda: [data("x", [3], "float32", 1)], [([1, 2, 3, 4, 5, 6],)], "6 elements, which make 2 rows"),
        (lambda: [data("x", [1, 2, 2])], [(np.zeros(5),)] * 4, r"declared \[-1, 1, 2, 2\].*the shape \[4, 5\]"),
        (lambda: [data("x", [1, 2, 2])], [(np.zeros(5),)], r"declared \[-1, 1, 2, 2\].*the shape \[1, 5\]"),
    ],
)
def test_errors_name_the_variable_and_the_sample(make, batch, says):
    with pytest.raises(ValueError, match=says):
        fluid.DataFeeder(make(), CPU).feed(batch)


def test_feed_list_must_hold_variables():
    with pytest.raises(ValueError, match="feed_list must hold variables or their names, got int"):
        fluid.DataFeeder([3], CPU)
    with pytest.raises(ValueError, match="nope"):
        fluid.DataFeeder(["nope"], CPU)


def test_long_batches_of_sequences_are_flattened_at_once():
    rng = np.random.RandomState(0)
    batch = [(rng.randint(0, 1000, rng.randint(5, 100)).tolist(),) for _ in range(512)]
    feeder = fluid.DataFeeder([data("s", [1], "int64", 1)], CPU)
    took = []
    for _ in range(20):
        start = time.perf_counter()
        feeder.feed(batch)
        took.append(time.perf_counter() - start)
    assert min(took) < 0.005  # Fluid 1.8.5 took 0.019 on the machine where this takes 0.001


def test_a_batch_without_samples_is_an_empty_tensor():
    x = data("x", [2])
    assert fluid.DataFeeder([x], CPU).feed([])["x"].shape() == [0, 2]
