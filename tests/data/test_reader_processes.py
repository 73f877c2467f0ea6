"""multiprocess_reader: samples, errors and deaths cross the border of a process."""

import itertools
import multiprocessing
import os
import signal

import numpy as np
import pytest

from paddle import reader as R

both_ways = pytest.mark.parametrize("use_pipe", [True, False], ids=["pipe", "queue"])


@pytest.fixture(autouse=True)
def no_process_stays():
    yield
    assert multiprocessing.active_children() == []


def numbers(n, start=0):
    return lambda: iter(range(start, start + n))


@both_ways
def test_the_samples_of_all_readers_arrive(use_pipe):
    assert sorted(R.multiprocess_reader([numbers(30), numbers(3, 100)], use_pipe, queue_size=4)()) == [
        *range(30),
        *range(100, 103),
    ]


@both_ways
def test_tuples_of_arrays_stay_what_they_are(use_pipe):
    [(image, label)] = R.multiprocess_reader([lambda: iter([(np.arange(3, dtype="float32"), 7)])], use_pipe)()
    assert image.dtype == np.float32 and image.tolist() == [0, 1, 2] and label == 7


def fails():
    yield 1
    raise KeyError("the disk is gone")


@both_ways
@pytest.mark.parametrize(
    "reader, says",
    [
        (fails, "the disk is gone"),
        (lambda: iter([None]), "a sample must not be None"),
        (lambda: iter([lambda: 0]), "pickle"),
    ],
    ids=["raises", "None", "not picklable"],
)
def test_an_error_in_a_process_is_raised_here_with_its_traceback(use_pipe, reader, says):
    with pytest.raises(ValueError, match="(?s)multiprocess_reader: a reader raised in its process.*" + says):
        list(R.multiprocess_reader([reader, numbers(3)], use_pipe)())


def is_killed():
    yield 1
    os.kill(os.getpid(), signal.SIGKILL)


@both_ways
def test_a_killed_process_is_noticed(use_pipe):
    with pytest.raises(ValueError, match="died with exit code -9"):
        list(R.multiprocess_reader([is_killed], use_pipe)())


@both_ways
def test_a_consumer_may_stop_early(use_pipe):
    samples = R.multiprocess_reader([itertools.count], use_pipe)()
    assert next(samples) == 0
    samples.close()


@pytest.mark.parametrize("readers", [[], 3])
def test_a_list_of_readers_is_demanded(readers):
    with pytest.raises(TypeError, match="readers must be a list of at least one reader"):
        R.multiprocess_reader(readers)
