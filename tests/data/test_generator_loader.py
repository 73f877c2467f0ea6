"""DataLoader.from_generator and PyReader: what they give. Expected forms were seen in Fluid 1.8.5."""

import numpy as np
import pytest

from paddle import fluid
from refluid.core.errors import EOFException
from refluid.data.loading.data_loader import DataLoader
from refluid.data.loading.py_reader import PyReader
from refluid.tensor.lod_tensor import LoDTensor

CPU = [fluid.CPUPlace()]
WAYS = {"thread": {}, "thread, late copy": {"use_double_buffer": False}, "process": {"use_multiprocess": True}}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@pytest.fixture(autouse=True)
def program():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        yield


def variables():
    return [fluid.layers.data("x", [3]), fluid.layers.data("y", [1], dtype="int64")]


def samples():
    for i in range(5):
        yield np.full(3, i, "float64"), i


def sample_lists():
    for i in range(3):
        yield [(np.full(3, float(i)), i)] * 2


def batches():
    for i in range(3):
        yield np.full((2, 3), i, "float32"), np.full((2, 1), i, "int64")


def loader(**settings):
    return DataLoader.from_generator(feed_list=variables(), capacity=2, **settings)


def told(item):
    if isinstance(item, dict):
        return {name: told(value) for name, value in item.items()}
    if isinstance(item, list):
        return [told(value) for value in item]
    array = np.array(item) if isinstance(item, LoDTensor) else item.numpy()
    return array.shape, str(array.dtype), array.ravel()[0]


def first(items):
    """The first number of x, item by item."""
    return [np.array(item[0]["x"]).ravel()[0] for item in items]


@every_way
def test_samples_become_batches(way):
    items = list(loader(**way).set_sample_generator(samples, batch_size=2, places=CPU))
    assert [told(item) for item in items] == [
        [{"x": ((2, 3), "float32", 0), "y": ((2, 1), "int64", 0)}],
        [{"x": ((2, 3), "float32", 2), "y": ((2, 1), "int64", 2)}],
    ]


@every_way
def test_the_last_short_batch_comes_if_asked_for(way):
    items = list(loader(**way).set_sample_generator(samples, batch_size=2, drop_last=False, places=CPU)())
    assert told(items[-1]) == [{"x": ((1, 3), "float32", 4), "y": ((1, 1), "int64", 4)}]


@every_way
def test_lists_of_samples(way):
    items = list(loader(**way).set_sample_list_generator(sample_lists, places=CPU[0]))
    assert [told(item) for item in items] == [
        [{"x": ((2, 3), "float32", i), "y": ((2, 1), "int64", i)}] for i in range(3)
    ]


@every_way
def test_batches_keep_their_dtype(way):
    items = list(
        loader(**way).set_batch_generator(lambda: ([np.ones((2, 3)), [[1], [2]]] for _ in range(1)), places=CPU)
    )
    assert told(items) == [[{"x": ((2, 3), "float64", 1), "y": ((2, 1), "int64", 1)}]]


@every_way
def test_lod_tensors_keep_their_lod(way):
    def sequences():
        yield fluid.create_lod_tensor(np.ones((3, 3), "float32"), [[1, 2]], CPU[0]), np.ones((2, 1), "int64")

    ((item,),) = loader(**way).set_batch_generator(sequences, places=CPU)
    assert item["x"].recursive_sequence_lengths() == [[1, 2]]


@every_way
def test_sequences_become_lod_tensors(way):
    words = fluid.layers.data("words", [1], dtype="int64", lod_level=1)
    reading = DataLoader.from_generator([words], capacity=2, **way)
    ((item,),) = reading.set_sample_generator(lambda: iter([([1, 2, 3],), ([4],)]), batch_size=2, places=CPU)
    assert item["words"].recursive_sequence_lengths() == [[3, 1]] and item["words"].shape() == [4, 1]


@every_way
def test_two_epochs_give_the_same(way):
    reading = loader(**way).set_batch_generator(batches, places=CPU)
    assert first(reading) == first(reading()) == [0, 1, 2]


def test_lists_instead_of_dictionaries():
    items = list(loader(return_list=True).set_batch_generator(batches, places=CPU))
    assert told(items[1]) == [[((2, 3), "float32", 1), ((2, 1), "int64", 1)]]


@pytest.mark.parametrize(("drop_last", "sizes"), [(True, [2]), (False, [2, 1])])
def test_every_place_gets_a_batch(drop_last, sizes):
    items = list(loader(drop_last=drop_last).set_batch_generator(batches, places=fluid.cpu_places(2)))
    assert [len(item) for item in items] == sizes


def test_a_reader_may_use_its_arrays_again():
    x = np.zeros((2, 3), "float32")

    def reusing():
        for i in range(4):
            x[:] = i
            yield x, np.zeros((2, 1), "int64")

    reading = DataLoader.from_generator(variables(), capacity=8).set_batch_generator(reusing, places=CPU)
    assert first(reading) == [0, 1, 2, 3]


def test_next_goes_on_with_the_iteration_that_has_begun():
    reading = loader().set_batch_generator(batches, places=CPU)
    begun = iter(reading)
    assert first([next(reading), next(begun), next(reading)]) == [0, 1, 2]


def test_a_call_gives_the_loader_itself_at_the_beginning_of_an_epoch():
    reading = loader().set_batch_generator(batches, places=CPU)
    assert reading() is reading and first(list(reading()())) == first(list(reading)) == [0, 1, 2]
    assert first([next(reading()), next(reading), next(reading())]) == [0, 1, 0]


@pytest.mark.parametrize("source", [
    lambda: loader().set_batch_generator(lambda: iter(()), CPU),
    lambda: loader().set_sample_generator(samples, 9, places=CPU),
])  # fmt: skip
def test_a_reader_that_gives_nothing_is_an_empty_epoch(source):
    with pytest.warns(UserWarning, match="the reader yielded nothing; is there less data than one batch"):
        assert list(source()) == []


def test_the_queue_tells_how_many_wait():
    reading = loader().set_batch_generator(batches, places=CPU)
    assert (reading.queue.size(), reading.queue.capacity()) == (0, 2)


@every_way
def test_variables_in_the_imperative_mode(way):
    with fluid.dygraph.guard():
        reading = DataLoader.from_generator(capacity=2, **way).set_sample_list_generator(sample_lists)
        items = list(reading)
        assert [told(item) for item in items] == [[((2, 3), "float64", i), ((2,), "int64", i)] for i in range(3)]
        assert all(var.stop_gradient for var in items[0])
        assert float(fluid.layers.reduce_sum(items[1][0])) == 6


# -- inside a program --------------------------------------------------------------------------------------------------


def total_of(x):
    return fluid.layers.reduce_sum(x)


def epoch(total, exe=None):
    exe, values = exe or fluid.Executor(CPU[0]), []
    try:
        while True:
            values.append(float(exe.run(fetch_list=[total])[0][0]))
    except EOFException:
        return values


@every_way
def test_the_program_asks_for_data_between_start_and_reset(way):
    x, y = variables()
    reading = DataLoader.from_generator([x, y], capacity=2, iterable=False, **way).set_batch_generator(batches)
    total = total_of(x)
    for _ in range(2):
        reading.start()
        assert epoch(total) == [0, 6, 12]
        assert epoch(total) == []  # the end stays the end
        reading.reset()


@every_way
def test_reset_in_the_middle_begins_anew(way):
    x, y = variables()
    reading = DataLoader.from_generator([x, y], capacity=2, iterable=False, **way).set_batch_generator(batches)
    total, exe = total_of(x), fluid.Executor(CPU[0])
    reading.start()
    exe.run(fetch_list=[total])
    reading.reset()
    reading.start()
    assert epoch(total) == [0, 6, 12]


def test_a_reader_and_a_feed_together():
    x, y = variables()
    z = fluid.layers.data("z", [3])
    reading = DataLoader.from_generator([x, y], capacity=2, iterable=False).set_batch_generator(batches)
    total, exe = total_of(x + z), fluid.Executor(CPU[0])
    reading.start()
    assert exe.run(feed={"z": np.ones((2, 3), "float32")}, fetch_list=[total])[0][0] == 6
    # Fluid: data of a reader stand above a feed of a part of them
    assert (
        exe.run(feed={"x": np.ones((2, 3), "float32"), "z": np.ones((2, 3), "float32")}, fetch_list=[total])[0][0] == 12
    )
    reading.reset()
    alone = {"x": np.ones((2, 3), "float32"), "y": np.ones((2, 1), "int64"), "z": np.ones((2, 3), "float32")}
    assert exe.run(feed=alone, fetch_list=[total])[0][0] == 12


def test_a_py_reader_trains():
    image, label = fluid.layers.data("image", [4]), fluid.layers.data("label", [1], dtype="int64")
    reader = PyReader([image, label], capacity=4, iterable=False)
    loss = fluid.layers.mean(fluid.layers.cross_entropy(fluid.layers.fc(image, 2, act="softmax"), label))
    fluid.optimizer.SGD(0.5).minimize(loss)
    exe = fluid.Executor(CPU[0])
    exe.run(fluid.default_startup_program())
    rng = np.random.RandomState(0)
    data = [(x, int(x[0] > 0)) for x in rng.randn(64, 4).astype("float32")]
    reader.decorate_sample_generator(lambda: iter(data), batch_size=16)
    losses = []
    for _ in range(10):
        reader.start()
        losses.extend(epoch(loss, exe))
        reader.reset()
    assert len(losses) == 40 and losses[-1] < 0.5 * losses[0]


def test_decorate_names_of_py_reader():
    x, y = variables()
    for decorate, source, more in (
        ("decorate_sample_generator", samples, {"batch_size": 2}),
        ("decorate_sample_list_generator", sample_lists, {}),
        ("decorate_batch_generator", batches, {}),
    ):
        reader = PyReader(feed_list=[x, y], capacity=2)
        assert getattr(reader, decorate)(source, places=CPU, **more) is None
        assert len(first(reader())) == (2 if more else 3)
        assert reader.iterable


# -- errors ------------------------------------------------------------------------------------------------------------


def one_batch(*fields):
    return lambda: iter([fields])


@pytest.mark.parametrize(
    ("use", "says"),
    [
        (lambda: DataLoader.from_generator(variables()), "capacity must be a number of batches"),
        (lambda: DataLoader.from_generator(capacity=2), "feed_list, the variables to load, must be given"),
        (lambda: list(loader()), "no source of data was set"),
        (lambda: loader().set_batch_generator(batches), "places must be given"),
        (lambda: loader().set_batch_generator(batches(), CPU), "got generator; pass the function itself"),
        (lambda: list(loader().set_batch_generator(lambda: None, CPU)), "must return an iterable, got NoneType"),
        (lambda: list(loader().set_batch_generator(one_batch(1), CPU)), "batch 0 has 1 fields, expected 2: x, y"),
        (lambda: list(loader().set_batch_generator(lambda: iter([3]), CPU)), "batch 0 must be a list of arrays"),
        (lambda: list(loader().set_batch_generator(one_batch([[1], [1, 2]], 1), CPU)), "x of batch 0 is not rectang"),
        (lambda: list(loader().set_batch_generator(one_batch(object(), 1), CPU)), "x of batch 0 must be an array"),
        (
            lambda: list(loader().set_sample_list_generator(lambda: iter([[([1, 2, 3], 1), ([1], 2)]]), CPU)),
            r"x: sample 1 has the shape \[1\]",
        ),
        (lambda: loader().start(), "this loader is iterable"),
        (lambda: loader().reset(), "this loader is iterable"),
        (lambda: iter(loader(iterable=False)), "is not iterable: call start"),
        (lambda: loader(iterable=False).start(), "no source of data was set"),
    ],
)
def test_errors_say_what_is_wrong(use, says):
    with pytest.raises(ValueError, match=says):
        use()


def test_running_without_start_is_an_error_and_starting_twice_too():
    x, y = variables()
    reading = DataLoader.from_generator([x, y], capacity=2, iterable=False).set_batch_generator(batches)
    total = total_of(x)
    with pytest.raises(ValueError, match=r"start\(\) was not called"):
        fluid.Executor(CPU[0]).run(fetch_list=[total])
    reading.start()
    with pytest.warns(UserWarning, match="the last epoch has not ended; it is reset"):
        reading.start()
    reading.reset()


def test_a_wrong_dtype_names_the_variable_when_the_program_runs():
    x, y = variables()
    reading = DataLoader.from_generator([x, y], capacity=2, iterable=False)
    reading.set_batch_generator(one_batch(np.ones((2, 3)), np.ones((2, 1), "int64")))
    total = total_of(x)
    reading.start()
    with pytest.warns(UserWarning, match="feed 'x': the variable is declared float32, got float64"):
        fluid.Executor(CPU[0]).run(fetch_list=[total])
