"""Gradients of gradients through programs: those of the imperative run."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import BatchNorm, Layer, Linear, declarative, grad, to_variable


def cube(x):
    return x * x * x


def branches(x):
    if layers.mean(x) > 0:
        y = layers.tanh(x) * x
    else:
        y = x * x * 2
    return y


def loop(x):
    i = 0
    while layers.reduce_sum(x * x) < 100 and i < 5:
        x = x * x + 1
        i += 1
    return x


def grown_list(x):
    parts = []
    for i in range(layers.cast(layers.reduce_max(x * x), "int64")):
        parts.append(x * x * i)
    return layers.reduce_sum(layers.stack(parts)) + len(parts)


def several_outputs_and_dropout(x):
    return layers.dropout(cube(x), 0.5), layers.relu(x) * x, x * 2


def recurrence(x):
    rnn = layers.StaticRNN()
    rows = layers.reshape(x, [2, 1, 1])
    with rnn.step():
        row = rnn.step_input(rows)
        before = rnn.memory(shape=[-1, 1], batch_ref=row)
        after = layers.tanh(before + row * row)
        rnn.update_memory(before, after)
        rnn.step_output(after)
    return rnn()


@pytest.mark.parametrize("numbers", [[1.0, 2.0], [-1.0, -1.5]])
@pytest.mark.parametrize("function", [cube, branches, loop, grown_list, several_outputs_and_dropout])
def test_gradients_of_gradients_are_those_of_the_imperative_run(function, numbers):
    found = []
    with fluid.dygraph.guard():
        for run in (function, declarative(function)):
            fluid.default_main_program().random_seed = 3
            x = to_variable(np.array(numbers))
            x.stop_gradient = False
            out = run(x * 1.5)
            (dx,) = grad(list(out) if isinstance(out, tuple) else out, x, create_graph=True)
            (ddx,) = grad(dx * dx, x, create_graph=True)
            (third,) = grad(ddx, x, retain_graph=True)
            layers.reduce_sum(dx * dx).backward()
            found.append([dx.numpy(), ddx.numpy(), third.numpy(), x.gradient()])
    for plain, ours in zip(*found, strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-6, atol=1e-9)


def test_a_recurrence_of_a_program_has_gradients_of_gradients():
    with fluid.dygraph.guard():
        x = to_variable(np.array([0.3, -0.7]))
        x.stop_gradient = False
        (dx,) = grad(declarative(recurrence)(x), x, create_graph=True)
        (ddx,) = grad(dx, x)

        def slope(value):
            given = to_variable(value)
            given.stop_gradient = False
            return grad(declarative(recurrence)(given), given)[0].numpy().sum()

        steps = [np.array([1e-6, 0.0]), np.array([0.0, 1e-6])]
        expected = [(slope(x.numpy() + one) - slope(x.numpy() - one)) / 2e-6 for one in steps]
    np.testing.assert_allclose(ddx.numpy(), expected, rtol=1e-5)


class Net(Layer):
    def __init__(self):
        super().__init__()
        self.fc, self.norm = Linear(3, 3), BatchNorm(3)

    def forward(self, x):
        return layers.reduce_mean(layers.square(self.norm(layers.tanh(self.fc(x)))) * self.fc(x))


def test_a_gradient_penalty_reaches_the_parameters_and_counts_statistics_once():
    found = []
    with fluid.dygraph.guard():
        net = Net()
        state = {name: value.numpy().copy() for name, value in net.state_dict().items()}
        for forward in (Net.forward, declarative(Net.forward)):
            net.set_dict(state)
            net.clear_gradients()
            x = to_variable(np.random.RandomState(0).rand(4, 3).astype("float32"))
            x.stop_gradient = False
            (dx,) = grad(forward(net, x), x, create_graph=True)
            layers.reduce_sum(dx * dx).backward()
            found.append([net.fc.weight.gradient(), net.norm.weight.gradient(), net.norm._mean.numpy().copy()])
    for plain, ours in zip(*found, strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-6, atol=1e-7)
