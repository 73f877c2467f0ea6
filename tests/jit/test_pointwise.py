"""Runs of pointwise operators in the two parts of a translated program, and gradients of its gradients."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import declarative, grad, to_variable
from refluid.executor.pointwise import run
from refluid.native import call as native

pytestmark = pytest.mark.skipif(not native.available(), reason="no C++ compiler")


def cell(x, state):
    i, j, f, o = layers.split(x, 4, 1)
    state = state * layers.sigmoid(f) + layers.sigmoid(i) * layers.tanh(j)
    return layers.tanh(state) * layers.sigmoid(o)


def gradients(function, second):
    rng = np.random.RandomState(0)
    x, state = to_variable(rng.rand(4, 24).astype("float32")), to_variable(rng.rand(4, 6).astype("float32"))
    x.stop_gradient = state.stop_gradient = False
    out = function(x, state)
    first = grad(layers.reduce_sum(out), [x, state], create_graph=second, retain_graph=True)
    if second:
        layers.reduce_sum(first[0] * first[0]).backward()
        return [out.numpy(), first[0].numpy(), x.gradient(), state.gradient()]
    again = grad(layers.reduce_sum(out), [x, state], retain_graph=True)  # of the same forward pass
    return [one.numpy() for one in (out, *first, *again)]


@pytest.mark.parametrize("second", [False, True])
def test_a_translated_cell_has_the_gradients_of_the_imperative_one(second, monkeypatch):
    closed, close = [], run.Run.close
    monkeypatch.setattr(run.Run, "close", lambda self: closed.append(close(self)) or closed[-1])
    with fluid.dygraph.guard():
        for a, b in zip(gradients(declarative(cell), second), gradients(cell, second), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert sum(closed) >= 2  # forward and backward
