"""A call that fails has run once."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.dygraph import guard, to_variable
from refluid.core.errors import EnforceNotMet
from refluid.eager.py_layer import PyLayer
from refluid.ops.registry import define


class Fails(PyLayer):
    calls = 0

    @staticmethod
    def forward(inputs):
        Fails.calls += 1
        raise ZeroDivisionError("in forward")

    @staticmethod
    def backward(inputs):
        return inputs[-1]


def test_a_forward_of_a_py_layer_that_fails_runs_once():
    with guard():
        with pytest.raises(ZeroDivisionError, match="in forward"):
            Fails()(to_variable(np.ones(2, "float32")))
        assert Fails.calls == 1


@pytest.mark.parametrize("error", [ValueError, AttributeError, TypeError, IndexError, EnforceNotMet])
def test_a_kernel_that_fails_is_called_once_whatever_it_raises(error):
    calls = []

    def fails(X, *, alpha: float = 1.0):
        calls.append(alpha)
        raise error("of the kernel")

    op = define(fails, "Out", type="fails", nograd="*")
    with guard():
        x = to_variable(np.ones(2, "float32"))
        for attrs in ({"alpha": 2.0}, {}, {"use_mkldnn": False}, {"use_mkldnn": True}):
            calls.clear()
            with pytest.raises(Exception, match="of the kernel"):
                op(x, **attrs)
            assert len(calls) == 1, attrs


def test_a_wrong_argument_is_told_as_before():
    with guard():
        x = to_variable(np.ones([2, 3], "float32"))
        with pytest.raises(EnforceNotMet, match="X must be a Variable, got ndarray"):
            fluid.layers.relu(np.ones(2, "float32"))
        with pytest.raises(EnforceNotMet, match="mul"):
            fluid.layers.mul(x, x)
