"""Indices of variables beside those of numpy: every mixture over three axes, in both modes."""

import itertools

import numpy as np
import pytest

import paddle.fluid as fluid

X = np.arange(60, dtype="float32").reshape(3, 4, 5)
PARTS = (0, -1, 1, slice(None), slice(None, None, -1), slice(1, None), slice(None, None, 2), slice(-2, None, -1))


def _expected(index):
    return np.atleast_1d(X[index])


def test_every_mixture_of_ints_slices_and_steps_is_that_of_numpy():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(X)
        for index in itertools.product(PARTS, PARTS, PARTS):
            np.testing.assert_array_equal(x[index].numpy(), _expected(index), err_msg=str(index))


@pytest.mark.parametrize("index", [(0, slice(None, None, -1)), (slice(None, None, -1), 1, slice(None, None, -1))])
def test_an_axis_behind_an_index_is_turned_round_with_its_gradient(index):
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(X)
        x.stop_gradient = False
        part = x[index]
        fluid.layers.reduce_sum(part * part).backward()
        expected = np.zeros_like(X)
        expected[index] = 2 * X[index]
        np.testing.assert_array_equal(x.gradient(), expected)


def test_programs_cut_alike():
    indices = [(0, slice(None, None, -1)), (slice(None), 1, slice(None, None, -1)), (1, slice(None, None, 2), -1)]
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [3, 4, 5])
        parts = [x[index] for index in indices]
    found = fluid.Executor().run(main, feed={"x": X}, fetch_list=parts)
    for index, part, declared in zip(indices, found, parts, strict=True):
        np.testing.assert_array_equal(part, _expected(index))
        assert list(declared.shape) == list(part.shape)
