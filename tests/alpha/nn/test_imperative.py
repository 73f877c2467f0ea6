"""paddle.imperative: switching, saving, gradients."""

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle import imperative
from refluid.core.errors import ArgumentError


def test_guard_switches_and_counts_names_with_its_generator():
    assert not imperative.enabled()
    with imperative.guard(fluid.CPUPlace(), new_generator="mine/"):
        assert imperative.enabled()
        assert paddle.nn.Linear(2, 2).full_name() == "mine/linear_0"
    with imperative.guard("first/"):
        assert paddle.nn.Linear(2, 2).full_name() == "first/linear_0"
    with imperative.guard():
        assert paddle.nn.Linear(2, 2).weight.name == "linear_0.w_0"
    with pytest.raises(ArgumentError, match="place must be"), imperative.guard(3):
        pass
    assert not imperative.enabled()


def test_enable_and_disable():
    paddle.enable_imperative()
    try:
        assert imperative.to_variable(np.ones(2)).numpy().tolist() == [1, 1]
    finally:
        paddle.disable_imperative()
    assert not imperative.enabled()


def test_save_and_load(tmp_path):
    with imperative.guard():
        net = paddle.nn.Linear(3, 2)
        adam = paddle.optimizer.Adam(0.1, parameter_list=net.parameters())
        loss = paddle.mean(net(imperative.to_variable(np.ones((2, 3), "float32"))))
        loss.backward()
        adam.minimize(loss)
        imperative.save(net.state_dict(), str(tmp_path / "net"))
        imperative.save(adam.state_dict(), str(tmp_path / "net"))
        values, state = imperative.load(str(tmp_path / "net"))
        other = paddle.nn.Linear(3, 2)
        other.set_dict(values)
        assert np.array_equal(other.weight.numpy(), net.weight.numpy())
        assert set(adam.state_dict()) <= set(state)


def test_gradients_and_no_gradients():
    with imperative.guard():
        x = imperative.to_variable(np.array([3.0], "float32"))
        x.stop_gradient = False
        (found,) = imperative.grad(x * x, x)
        assert found.numpy().tolist() == [6]
        with imperative.no_grad():
            assert (x * x).stop_gradient


def test_a_learning_rate_that_falls():
    with imperative.guard():
        net = paddle.nn.Linear(1, 1)
        decay = imperative.PiecewiseDecay([1], [0.5, 0.25], 0)
        sgd = paddle.optimizer.SGD(decay, parameter_list=net.parameters())
        rates = []
        for _ in range(3):
            loss = paddle.mean(net(imperative.to_variable(np.ones((1, 1), "float32"))))
            loss.backward()
            before = net.weight.numpy()
            sgd.minimize(loss)
            net.clear_gradients()
            rates.append((before - net.weight.numpy()).item())
    assert rates == pytest.approx([0.5, 0.25, 0.25])
