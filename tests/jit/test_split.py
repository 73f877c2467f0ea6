"""The two parts of a translated program: what the gradients keep of the forward pass, and when it is given up."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import Linear, declarative, to_variable

WORDS = 9000  # so many that the softmax and its gradient are computed in place


@declarative
def loss_of(x, label, head):
    return layers.mean(layers.softmax_with_cross_entropy(head(layers.tanh(x)), label))


def inputs():
    rng = np.random.RandomState(0)
    x, label = to_variable(rng.rand(8, 4).astype("float32")), to_variable(rng.randint(0, WORDS, (8, 1)))
    x.stop_gradient = False
    return x, label


def test_gradients_can_be_asked_for_again():
    with fluid.dygraph.guard():
        head = Linear(4, WORDS)
        x, label = inputs()
        plain = layers.mean(layers.softmax_with_cross_entropy(head(layers.tanh(x)), label))
        plain.backward()
        expected = head.weight.gradient(), x.gradient()
        loss = loss_of(x, label, head)
        for retain in (True, True, False):
            head.clear_gradients()
            x.clear_gradient()
            loss.backward(retain_graph=retain)
            np.testing.assert_allclose(head.weight.gradient(), expected[0], rtol=1e-6, atol=1e-9)
            np.testing.assert_allclose(x.gradient(), expected[1], rtol=1e-6, atol=1e-9)
        with pytest.warns(UserWarning, match="freed by an earlier backward"):
            loss.backward()


def test_what_the_gradients_have_read_is_freed():
    with fluid.dygraph.guard():
        head = Linear(4, WORDS)
        loss = loss_of(*inputs(), head)
        kept = loss._grad_node.node.saved[1]
        assert len(kept) > 3
        loss.backward(retain_graph=True)
        assert kept
        loss.backward()
        assert not kept


def test_names_of_the_plan_are_not_taken_from_the_program():
    @declarative
    def named(grads, kept, last, back, feeds, lods, scope):
        return layers.mean(grads * kept + layers.exp(last) * back + feeds * lods + scope)

    with fluid.dygraph.guard():
        given = [to_variable(np.full([2], i + 1, "float32")) for i in range(7)]
        for one in given:
            one.stop_gradient = False
        loss = named(*given)
        loss.backward()
        assert np.allclose(loss.numpy(), 1 * 2 + np.exp(3) * 4 + 5 * 6 + 7)
        expected = [2, 1, np.exp(3) * 4, np.exp(3), 6, 5, 1]
        for one, value in zip(given, expected, strict=True):
            np.testing.assert_allclose(one.gradient(), np.full(2, value / 2), rtol=1e-6)
