"""buffered and xmap_readers: nothing is lost, errors arrive, no thread stays."""

import itertools
import threading
import time

import pytest
from tests.leftovers import no_new_thread

from paddle import reader as R

DECORATORS = {
    "buffered": lambda reader: R.buffered(reader, 2),
    "xmap": lambda reader: R.xmap_readers(lambda x: x, reader, 3, 2),
    "xmap in order": lambda reader: R.xmap_readers(lambda x: x, reader, 3, 2, order=True),
}
every_decorator = pytest.mark.parametrize("decorate", DECORATORS.values(), ids=DECORATORS)


@pytest.fixture(autouse=True)
def no_thread_stays():
    with no_new_thread():
        yield


def fails_after_three():
    yield from range(3)
    raise KeyError("the disk is gone")


@every_decorator
@pytest.mark.parametrize("count", [0, 1, 50])
def test_every_sample_arrives_once_and_again_in_the_next_epoch(decorate, count):
    decorated = decorate(lambda: range(count))
    assert sorted(decorated()) == sorted(decorated()) == list(range(count))


@every_decorator
def test_an_error_of_the_reader_reaches_the_consumer(decorate):
    with pytest.raises(KeyError, match="the disk is gone"):
        list(decorate(fails_after_three)())


@every_decorator
def test_a_consumer_may_stop_early_even_with_an_endless_reader(decorate):
    samples = decorate(itertools.count)()
    assert next(samples) in range(10)
    samples.close()


def test_buffered_keeps_order_and_reads_ahead_no_further_than_told():
    taken = []

    def reader():
        for i in range(10):
            taken.append(i)
            yield i

    samples = R.buffered(reader, 3)()
    assert next(samples) == 0
    time.sleep(0.05)
    assert len(taken) <= 1 + 3 + 1  # served, waiting, and in the thread's hand
    assert list(samples) == list(range(1, 10))


@pytest.mark.parametrize("order", [False, True])
def test_xmap_hands_on_an_error_of_the_mapper(order):
    with pytest.raises(ZeroDivisionError):
        list(R.xmap_readers(lambda x: 1 // (x - 7), lambda: range(20), 2, 4, order)())


def test_xmap_keeps_order_when_told_though_workers_finish_in_another():
    def slow_when_even(x):
        time.sleep(0.002 * (x % 2 == 0))
        return x * 2

    assert list(R.xmap_readers(slow_when_even, lambda: range(30), 4, 5, order=True)()) == [2 * x for x in range(30)]


def test_xmap_maps_in_several_threads():
    barrier = threading.Barrier(3, timeout=5)
    assert sorted(R.xmap_readers(lambda x: (barrier.wait(), x)[1], lambda: range(3), 3, 3)()) == [0, 1, 2]


def test_xmap_refuses_to_work_without_workers():
    with pytest.raises(ValueError, match="xmap_readers: process_num must be at least 1, got 0"):
        R.xmap_readers(abs, lambda: range(3), 0, 3)
