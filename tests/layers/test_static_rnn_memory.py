"""StaticRNN.memory: a first value that is made inside the step and needs nothing of it."""

import numpy as np
import pytest

import paddle.fluid as fluid


def summed(make):
    x = fluid.data("x", [3, 2, 4])
    rnn = fluid.layers.StaticRNN()
    with rnn.step():
        word = rnn.step_input(x)
        before = rnn.memory(init=make(word))
        after = fluid.layers.elementwise_add(before, word)
        rnn.update_memory(before, after)
        rnn.step_output(after)
    feed = {"x": np.ones((3, 2, 4), "float32")}
    return fluid.Executor(fluid.CPUPlace()).run(feed=feed, fetch_list=[rnn()])[0]


def test_a_constant_made_inside_the_step_is_made_once_before_it():
    found = summed(lambda word: fluid.layers.scale(fluid.layers.fill_constant([2, 4], "float32", 1.0), 2.0))
    assert found[:, 0, 0].tolist() == [3.0, 4.0, 5.0]


def test_what_needs_the_step_cannot_come_before_it():
    with pytest.raises(ValueError, match="init must be created before `with rnn.step"):
        summed(lambda word: fluid.layers.scale(word, 2.0))
