"""BasicGRUUnit and BasicLSTMUnit: parameters, names and training in the imperative mode."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.contrib.layers import BasicGRUUnit, BasicLSTMUnit
from refluid.core.errors import ArgumentError

X = np.random.RandomState(0).uniform(-1, 1, (2, 3)).astype("float32")
HIDDEN = np.random.RandomState(1).uniform(-1, 1, (2, 4)).astype("float32")


def test_parameters_are_made_for_the_first_input():
    with fluid.dygraph.guard(), fluid.unique_name.guard():
        x, hidden = fluid.dygraph.to_variable(X), fluid.dygraph.to_variable(HIDDEN)
        gru, lstm = BasicGRUUnit("writer", 4), BasicLSTMUnit("reader", 4, bias_attr=False)
        assert gru.parameters() == []
        assert gru(x, hidden).shape == [2, 4]
        assert [one.shape for one in lstm(x, hidden, hidden)] == [[2, 4]] * 2
        assert {key: one.name for key, one in gru.state_dict().items()} == {
            "_gate_weight": "writer/BasicGRUUnit_0.w_0", "_candidate_weight": "writer/BasicGRUUnit_0.w_1",
            "_gate_bias": "writer/BasicGRUUnit_0.b_0", "_candidate_bias": "writer/BasicGRUUnit_0.b_1",
        }  # fmt: skip
        assert [one.shape for one in lstm.parameters()] == [[7, 16]]


def test_a_unit_learns():
    with fluid.dygraph.guard():
        fluid.default_startup_program().random_seed = 1
        x, hidden = fluid.dygraph.to_variable(X), fluid.dygraph.to_variable(HIDDEN)
        unit = BasicLSTMUnit("reader", 4)
        unit(x, hidden, hidden)
        adam = fluid.optimizer.Adam(0.05, parameter_list=unit.parameters())
        losses = []
        for _ in range(20):
            out, _ = unit(x, hidden, hidden)
            loss = fluid.layers.mean(fluid.layers.square(out - 0.3))
            loss.backward()
            adam.minimize(loss)
            unit.clear_gradients()
            losses.append(loss.numpy().item())
    assert losses[-1] < 0.3 * losses[0]


def test_a_wrong_size_is_told():
    with pytest.raises(ArgumentError, match="BasicGRUUnit: hidden_size must be an int of at least 1, got '4'"):
        BasicGRUUnit("writer", "4")
