"""core.ops: operators as functions, as Fluid's own imperative layers call them."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import core
from paddle.fluid.framework import _varbase_creator


def variable(values):
    return fluid.dygraph.to_variable(np.array(values, "float32"))


def test_inputs_come_first_and_attributes_in_pairs():
    with fluid.dygraph.guard():
        x, y = variable([[1, 2], [3, 4]]), variable([10, 20])
        assert core.ops.elementwise_add(x, y, "axis", 0).numpy().tolist() == [[11, 12], [23, 24]]
        assert core.ops.concat([x, x], "axis", 1).shape == [2, 4]
        first, second = core.ops.split(x, 2, "num", 2, "axis", 1)
        assert (first.numpy().tolist(), second.numpy().tolist()) == ([[1], [3]], [[2], [4]])


def test_operators_of_several_results_give_a_tuple():
    with fluid.dygraph.guard():
        out, mask = core.ops.dropout(variable([1, 2, 3]), "dropout_prob", 0.5)
        assert (out.numpy() == [1, 2, 3] * mask.numpy()).all()
        values, indices = core.ops.top_k(variable([[3, 1, 2]]), "k", 2)
        assert (values.numpy().tolist(), indices.numpy().tolist()) == ([[3, 2]], [[0, 2]])


def test_outputs_that_the_caller_gives_are_written_and_gradients_go_back():
    with fluid.dygraph.guard():
        x = variable([[1, 2]])
        x.stop_gradient = False
        out = _varbase_creator(dtype=x.dtype)
        core.ops.matmul(x, variable([[3], [4]]), out, "transpose_X", False)
        assert out.numpy().tolist() == [[11.0]]
        core.ops.mean(out).backward()
        assert x.gradient().tolist() == [[3.0, 4.0]]
        w, rate = variable([1.0]), variable([0.5])
        core.ops.sgd(w, rate, variable([1.0]), w)
        assert w.numpy().tolist() == [0.5]


def test_what_does_not_exist_and_what_is_missing_is_said():
    with pytest.raises(AttributeError, match="core.ops has no operator 'nonsense'"):
        core.ops.nonsense
    with pytest.raises(AssertionError, match="relu works in the imperative mode alone"):
        core.ops.relu(None)
    with fluid.dygraph.guard(), pytest.raises(ValueError, match="core.ops.elementwise_add: expected X, Y and pairs"):
        core.ops.elementwise_add(variable([1]))
