"""DataLoader over a Dataset. Expected forms were seen in Fluid 1.8.5; what goes wrong is in test_never_hangs.py."""

import numpy as np
import pytest

from paddle import fluid
from refluid.data.loading.data_loader import DataLoader
from refluid.data.loading.dataset import BatchSampler, Dataset

CPU = fluid.cpu_places(1)
with_workers = pytest.mark.parametrize("workers", [0, 1, 2])


@pytest.fixture(autouse=True)
def program():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        yield


class Squares(Dataset):
    def __init__(self, count=5):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return np.full(3, i, "float32"), i * i


class Drawn(Squares):
    def __getitem__(self, i):
        return (np.random.rand(2),)


def variables():
    return [fluid.layers.data("x", [3]), fluid.layers.data("y", [1], dtype="int64")]


def loader(dataset=None, **settings):
    settings = {"feed_list": variables(), "places": CPU} | settings
    return DataLoader(dataset or Squares(), **settings)


def ys(items):
    return [np.array(item[0]["y"]).tolist() for item in items]


@with_workers
def test_batches_in_order(workers):
    items = list(loader(batch_size=2, num_workers=workers))
    assert ys(items) == [[0, 1], [4, 9], [16]]
    assert [item[0]["x"].shape() for item in items] == [[2, 3], [2, 3], [1, 3]]


@with_workers
def test_more_batches_than_workers_can_hold(workers):
    assert ys(loader(Squares(40), num_workers=workers)()) == [[i * i] for i in range(40)]


def test_lengths():
    assert len(loader(batch_size=2)) == 3
    assert len(loader(batch_size=2, drop_last=True)) == 2
    assert len(list(loader(batch_size=2, drop_last=True))) == 2


@with_workers
def test_every_place_gets_a_batch(workers):
    (item,) = loader(places=fluid.cpu_places(2), batch_size=2, num_workers=workers)
    assert [np.array(one["y"]).tolist() for one in item] == [[0, 1], [4, 9]]


def test_lists_instead_of_dictionaries():
    items = list(DataLoader(Squares(3), places=CPU, batch_size=2, return_list=True))
    assert [[value.shape() for value in item[0]] for item in items] == [[[2, 3], [2]], [[1, 3], [1]]]


@with_workers
def test_variables_in_the_imperative_mode(workers):
    with fluid.dygraph.guard():
        items = list(DataLoader(Squares(3), batch_size=2, num_workers=workers))
        assert [[var.shape for var in item] for item in items] == [[[2, 3], [2]], [[1, 3], [1]]]


@with_workers
def test_a_collate_function_of_ones_own(workers):
    def collate(samples):
        return [np.stack([x for x, _ in samples]), np.array([[y] for _, y in samples])]

    items = list(loader(batch_size=5, collate_fn=collate, num_workers=workers))
    assert ys(items) == [[[0], [1], [4], [9], [16]]]


@with_workers
def test_samples_without_a_tuple_are_one_field(workers):
    class Bare(Squares):
        def __getitem__(self, i):
            return np.full(2, i)

    with fluid.dygraph.guard():
        ((x,),) = DataLoader(Bare(3), batch_size=3, num_workers=workers)
        assert x.numpy().tolist() == [[0, 0], [1, 1], [2, 2]]


def test_shuffling_follows_numpys_seed_and_loses_nothing():
    def order(seed):
        np.random.seed(seed)
        return [i for batch in BatchSampler(Squares(50), shuffle=True, batch_size=7) for i in batch]

    assert order(1) == order(1) != order(2)
    assert sorted(order(1)) == list(range(50))
    np.random.seed(3)
    assert list(BatchSampler(Squares(5), shuffle=True, batch_size=2)) == [[3, 4], [1, 0], [2]]  # as in Fluid


def test_workers_draw_other_numbers_and_the_same_for_the_same_seed():
    def drawn(seed):
        np.random.seed(seed)
        items = DataLoader(Drawn(4), places=CPU, return_list=True, num_workers=2)
        return [np.array(item[0][0]).tolist() for item in items]

    assert drawn(1) == drawn(1) != drawn(2)
    assert len({str(value) for value in drawn(1)}) == 4


def test_worker_init_fn_is_called_with_the_number_of_the_worker():
    numbers = []

    class Told(Squares):
        def __getitem__(self, i):
            return (np.array(numbers),)

    items = DataLoader(Told(4), places=CPU, return_list=True, num_workers=2, worker_init_fn=numbers.append)
    assert [np.array(item[0][0]).tolist() for item in items] == [[[0]], [[1]], [[0]], [[1]]]
    assert numbers == []


def test_batch_samplers():
    assert list(BatchSampler(indices=[3, 4, 9], batch_size=2, drop_last=True)) == [[3, 4]]
    assert ys(loader(batch_sampler=BatchSampler(indices=[4, 2, 0], batch_size=2))) == [[16, 4], [0]]

    class Backwards(BatchSampler):
        def __iter__(self):
            return iter([[2], [1]])

    assert ys(loader(batch_sampler=Backwards(Squares()))) == [[4], [1]]


@pytest.mark.parametrize(
    ("use", "says"),
    [
        (lambda: loader(places=None), "places must be given"),
        (lambda: loader(feed_list=None), "feed_list must be given"),
        (lambda: DataLoader([1], variables(), CPU), "dataset must be a Dataset, got list"),
        (lambda: loader(num_workers=-1), "num_workers=-1"),
        (lambda: loader(timeout=-1), "timeout=-1"),
        (lambda: loader(batch_size=None), "batch_size must be an int of at least 1, got None"),
        (lambda: loader(batch_sampler=BatchSampler(Squares()), batch_size=2), "cannot be combined with batch_sampler"),
        (lambda: BatchSampler(Squares(), indices=[1]), "either dataset or indices"),
        (lambda: BatchSampler([1]), "dataset must be a Dataset, got list"),
        (lambda: list(loader(feed_list=variables()[:1])), "batch of indices 0 to 0 has 2 fields, expected 1: x"),
    ],
)
def test_errors_say_what_is_wrong(use, says):
    with pytest.raises(ValueError, match=says):
        use()


@with_workers
def test_samples_of_different_shapes_are_named(workers):
    class Ragged(Squares):
        def __getitem__(self, i):
            return np.zeros(3 if i < 3 else 4), 0

    with pytest.raises(ValueError, match=r"field 0: sample 3 has the shape \(4,\), those before it \(3,\)"):
        list(loader(Ragged(), batch_size=5, num_workers=workers))


def test_a_dataset_without_methods_says_so():
    with pytest.raises(NotImplementedError, match="__getitem__"):
        Dataset()[0]
    with pytest.raises(NotImplementedError, match="__len__"):
        len(Dataset())
