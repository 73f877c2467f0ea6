"""Averages and Lookahead in the imperative mode give what the recorded programs of Fluid give.

The trainings behind tests/fixtures/training/{model_average,exponential_moving_average,lookahead}.json, in this mode.
"""

import numpy as np
import pytest
from tests.models.oracle import recorded, source

from refluid.core import unique_name
from refluid.eager.base import guard, to_variable
from refluid.nn.linear import Linear
from refluid.ops.activation.sigmoids import tanh
from refluid.ops.loss.softmax_with_cross_entropy import softmax_with_cross_entropy
from refluid.ops.math.mean import mean
from refluid.optim.lookahead import LookaheadOptimizer
from refluid.optim.model_average import ModelAverage
from refluid.optim.moving_average import ExponentialMovingAverage
from refluid.optim.sgd import SGD

training = source("training")


def array(stored):
    return np.array(stored["data"], stored["dtype"]).reshape(stored["shape"])


class Net:
    """The network of the recorded trainings: 4 -> 5 -> 3 classes."""

    def __init__(self):
        layers = [Linear(4, 5), Linear(5, 3)]
        self.layers = layers
        self.params = {
            f"fc_{i}.{'bw'[k]}_0": p for i, layer in enumerate(layers) for k, p in enumerate((layer.bias, layer.weight))
        }
        for index, name in enumerate(sorted(self.params)):
            self.params[name].set_value(training.fixed_value(index, self.params[name].shape))

    def train(self, optimizer, after=lambda: None):
        feeds, losses = training.feeds(), []
        for _ in range(training.STEPS):
            x = self.layers[1](tanh(self.layers[0](to_variable(feeds["x"]))))
            loss = mean(softmax_with_cross_entropy(x, to_variable(feeds["label"]))[1])
            loss.backward()
            optimizer.minimize(loss)
            after()
            losses.append(float(loss))
        return losses

    def assert_equal(self, expected):
        for name, param in self.params.items():
            np.testing.assert_allclose(param.numpy(), array(expected[name]), rtol=2e-5, atol=2e-6, err_msg=name)


@pytest.mark.parametrize("name", ["model_average", "exponential_moving_average"])
def test_averages(name):
    expected = recorded(f"training/{name}.json")
    with guard(), unique_name.guard():
        net = Net()
        params = list(net.params.values())
        if name == "model_average":
            average = ModelAverage(0.5, min_average_window=2, max_average_window=3, parameter_list=params)
        else:
            average = ExponentialMovingAverage(0.9, parameter_list=params)
        np.testing.assert_allclose(
            net.train(SGD(0.5, parameter_list=params), average.update), expected["losses"], rtol=1e-5
        )
        with average.apply():
            net.assert_equal(expected["averaged"])
        net.assert_equal(expected["values"])
        with average.apply(need_restore=False):
            pass
        net.assert_equal(expected["averaged"])
        average.restore()
        net.assert_equal(expected["values"])


def test_lookahead():
    expected = recorded("training/lookahead.json")
    with guard(), unique_name.guard():
        net = Net()
        optimizer = LookaheadOptimizer(SGD(0.5, parameter_list=list(net.params.values())), alpha=0.4, k=2)
        np.testing.assert_allclose(net.train(optimizer), expected["losses"], rtol=1e-5)
        net.assert_equal(expected["values"])


def test_a_growing_count_of_steps_lets_an_average_start_fast():
    with guard(), unique_name.guard():
        net = Net()
        param = net.params["fc_0.w_0"]
        steps = to_variable(np.zeros(1, "float32"))
        average = ExponentialMovingAverage(0.999, thres_steps=steps, parameter_list=[param])
        average.update()
        np.testing.assert_allclose(average._averages[0].numpy(), 0.9 * param.numpy(), rtol=1e-6)
        steps.set_value(np.array([1e9], "float32"))
        assert average._decay_now() == 0.999
