"""Lists that grow in loops over tensors, and arrays of tensors, with gradients taken more than once."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.dygraph import declarative, to_variable


def list_that_grows(x, n):
    states = []
    i = fluid.layers.fill_constant([1], "int64", 0)
    h = x
    while i < n:
        h = fluid.layers.tanh(h * x)
        states.append(h)
        i = i + 1
    total = fluid.layers.fill_constant([2, 3], "float32", 0.0)
    for k in range(len(states)):
        total = total + states[k] * states[k]
    return fluid.layers.mean(total)


def array_that_a_counter_walks(x, n):
    i = fluid.layers.fill_constant([1], "int64", 0)
    array = fluid.layers.array_write(x, i)
    while i < n:
        h = fluid.layers.array_read(array, i) * x
        i = fluid.layers.increment(i)
        array = fluid.layers.array_write(h, i, array)
    y = fluid.layers.array_read(array, i)
    return fluid.layers.mean(y * y)


@pytest.mark.parametrize("function", [list_that_grows, array_that_a_counter_walks])
def test_values_and_gradients_are_those_of_the_imperative_run(function):
    found = []
    with fluid.dygraph.guard():
        for run in (function, declarative(function)):
            x = to_variable(np.arange(6, dtype="float32").reshape(2, 3) / 5)
            x.stop_gradient = False
            for rounds in (3, 1):
                loss = run(x, to_variable(np.array([rounds])))
                loss.backward(retain_graph=True)
                first = x.gradient().copy()
                x.clear_gradient()
                loss.backward()
                found.append((loss.numpy(), first, x.gradient().copy()))
                np.testing.assert_array_equal(first, found[-1][2])
                x.clear_gradient()
    for plain, translated in zip(found[:2], found[2:], strict=True):
        for a, b in zip(plain, translated, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)
