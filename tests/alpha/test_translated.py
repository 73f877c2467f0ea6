"""Functions of 2.0-alpha inside translated ones: the values and gradients of the imperative run."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import imperative, nn
from paddle.nn import functional as F

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75], [-0.5, 1.0, 3.0]], "float32")


def image(x: Any) -> Any:
    return paddle.reshape(x, [1, 1, 3, 3])


def summed_into(x: Any) -> Any:
    total = paddle.zeros([3, 3], "float32")
    for _ in range(3):
        paddle.add(total, x, out=total)
    return total


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "cast": lambda x: paddle.cast(x, "float64"),
    "conv2d": lambda x: F.conv2d(image(x), image(x)),
    "flatten": paddle.flatten,
    "log_softmax": F.log_softmax,
    "norm": paddle.norm,
    "out": lambda x: paddle.mm(x, x, out=paddle.zeros([3, 3], "float32")),
    "out again": summed_into,
    "relu in place": lambda x: F.relu(paddle.scale(x, 2.0), inplace=True),
    "split": lambda x: paddle.split(x, 3, 1)[2],
    "std": paddle.std,
    "unbind": lambda x: paddle.unbind(x)[0],
    "unstack": lambda x: paddle.unstack(x, 1)[1],
    "where": lambda x: paddle.where(x > 0.0, x, paddle.zeros([1], "float32")),
    "zeros_like": lambda x: x + paddle.zeros_like(x),
}


def gradient(call: Callable[[Any], Any], given: Any, held: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """The result for `given`, and the gradient of `held`."""
    out = call(given)
    paddle.sum(out * out).backward()
    return out.numpy(), held.gradient()


def leaf() -> Any:
    x = imperative.to_variable(X)
    x.stop_gradient = False
    return x


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_argument(name):
    def call(x):
        return FUNCTIONS[name](x)

    with imperative.guard():
        plain, translated = leaf(), leaf()
        expected = gradient(call, plain, plain)
        found = gradient(imperative.declarative(call), translated, translated)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-6)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_variable_of_the_imperative_mode_that_the_function_holds(name):
    with imperative.guard():
        one, held = leaf(), leaf()

        def call(x):
            return FUNCTIONS[name](held) * paddle.cast(paddle.mean(x), "float64" if name == "cast" else "float32")

        expected = gradient(call, one, held)
        held.clear_gradient()
        found = gradient(imperative.declarative(call), one, held)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-6)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-5)


def test_an_argument_that_is_written_over_is_the_result():
    with imperative.guard():

        @imperative.declarative
        def call(x):
            return paddle.add(x, x, out=x)

        assert call(imperative.to_variable(X)).numpy().tolist() == (2 * X).tolist()


def test_in_place_means_what_it_means_in_the_imperative_mode():
    with imperative.guard():
        layer = nn.ReLU(inplace=True)

        def call(x):
            return layer(x) + x

        expected = call(imperative.to_variable(X)).numpy()
        assert np.array_equal(expected, np.maximum(X, 0) + X)
        assert np.array_equal(imperative.declarative(call)(imperative.to_variable(X)).numpy(), expected)
