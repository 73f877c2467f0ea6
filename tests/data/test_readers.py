"""batch and the decorators that need no threads. Expected values were seen in Fluid 1.8.5."""

import random

import numpy as np
import pytest

import paddle
from paddle import reader as R


def numbers(n, start=0):
    return lambda: iter(range(start, start + n))


def test_batch_keeps_the_short_last_one_unless_told_to_drop_it():
    assert list(paddle.batch(numbers(5), 2)()) == [[0, 1], [2, 3], [4]]
    assert list(paddle.batch(numbers(5), 2, drop_last=True)()) == [[0, 1], [2, 3]]
    assert list(paddle.batch(numbers(4), 2)()) == [[0, 1], [2, 3]]
    assert list(paddle.batch(numbers(0), 2)()) == []


@pytest.mark.parametrize("size", [2.5, "2"])
def test_batch_takes_what_int_takes(size):
    assert list(paddle.batch(numbers(3), size)()) == [[0, 1], [2]]


@pytest.mark.parametrize("size", [0, -1])
def test_batch_refuses_a_size_that_is_not_positive(size):
    with pytest.raises(ValueError, match=f"batch: batch_size must be a positive integer, got {size}"):
        paddle.batch(numbers(5), size)


def test_a_reader_can_be_read_again():
    decorated = paddle.batch(R.buffered(R.chain(numbers(2), numbers(1)), 3), 2)
    assert list(decorated()) == list(decorated()) == [[0, 1], [0]]


def test_compose_spreads_tuples_but_not_lists():
    assert list(R.compose(numbers(2), numbers(2, 10))()) == [(0, 10), (1, 11)]
    assert list(R.compose(lambda: [(1, 2), (3, 4)], numbers(2, 10))()) == [(1, 2, 10), (3, 4, 11)]
    assert list(R.compose(lambda: [[1, 2]], numbers(1, 10))()) == [([1, 2], 10)]


def test_compose_of_arrays_and_endless_readers():
    rows = R.compose(lambda: iter(np.zeros((2, 3))), lambda: iter([None, None]), check_alignment=True)
    assert [len(row) for row in rows()] == [2, 2]
    endless = R.compose(numbers(2), lambda: iter(int, 1), check_alignment=False)
    assert list(endless()) == [(0, 0), (1, 0)]


def test_compose_says_which_reader_ended_first():
    aligned = R.compose(numbers(3), numbers(4))()
    with pytest.raises(R.ComposeNotAligned, match="outputs of readers are not aligned; reader 0 ended first"):
        list(aligned)
    assert issubclass(R.ComposeNotAligned, ValueError)
    with pytest.raises(TypeError, match="compose: unknown argument check"):
        R.compose(numbers(1), check=False)


def test_map_chain_and_firstn():
    assert list(R.map_readers(lambda a, b: a + b, numbers(3), numbers(4, 10))()) == [10, 12, 14]
    assert list(R.chain(numbers(2), numbers(2, 10))()) == [0, 1, 10, 11]
    assert [len(list(R.firstn(numbers(5), n)())) for n in (0, 3, 9)] == [0, 3, 5]


def test_shuffle_moves_samples_inside_its_buffer_as_fluid_does():
    random.seed(3)
    assert list(R.shuffle(numbers(10), 4)()) == [3, 0, 2, 1, 4, 5, 7, 6, 9, 8]
    assert list(R.shuffle(numbers(5), 0)()) == [0, 1, 2, 3, 4]


def test_cache_reads_once_and_at_once():
    calls = []

    def reader():
        calls.append(1)
        yield from range(3)

    cached = R.cache(reader)
    assert len(calls) == 1
    assert list(cached()) == list(cached()) == [0, 1, 2]
    assert len(calls) == 1
