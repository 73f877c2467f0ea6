import numpy as np
import pytest
from tests.layers.modes import both, declare, operators

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.layers import activation, unary

X = np.array([[-3.0, -0.5, 0.0], [0.5, 2.0, 9.0]], "float32")


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (activation.relu, np.maximum(X, 0)),
        (activation.sigmoid, 1 / (1 + np.exp(-X))),
        (activation.tanh_shrink, X - np.tanh(X)),
        (lambda x: activation.relu6(x, threshold=2.0), np.clip(X, 0, 2)),
        (lambda x: activation.leaky_relu(x, alpha=0.1), np.where(X > 0, X, 0.1 * X)),
        (lambda x: activation.swish(x, beta=2.0), X / (1 + np.exp(-2 * X))),
        (lambda x: activation.hard_sigmoid(x), np.clip(0.2 * X + 0.5, 0, 1)),
        (lambda x: activation.softshrink(x), np.sign(X) * np.maximum(np.abs(X) - 0.5, 0)),
        (lambda x: activation.hard_shrink(x, 1.0), np.where(np.abs(X) > 1, X, 0)),
        (lambda x: activation.thresholded_relu(x), np.where(X > 1, X, 0)),
        (lambda x: activation.log_softmax(x, axis=0), X - np.log(np.exp(X).sum(0))),
        (unary.square, X * X),
        (unary.sign, np.sign(X)),
        (lambda x: unary.pow(x, 3), X**3),
    ],
)
def test_values_in_both_modes(function, expected):
    np.testing.assert_allclose(both(function, x=X)[0], expected, rtol=1e-5, atol=1e-6)


def test_softmax_along_an_axis_sums_to_one_in_both_modes():
    (out,) = both(lambda x: activation.softmax(x, axis=0), x=X)
    np.testing.assert_allclose(out.sum(0), np.ones(3), rtol=1e-6)


def test_results_are_named_as_in_fluid():
    (x,) = declare(x=X)
    activation.relu(x)
    activation.relu(x, name="mine")
    activation.log_softmax(x, dtype="float64")
    assert operators() == [
        "relu: x -> relu_0.tmp_0",
        "relu: x -> mine.tmp_0",
        "cast: x -> log_softmax_0.tmp_0",
        "softmax: log_softmax_0.tmp_0 -> log_softmax_0.tmp_1",
        "log: log_softmax_0.tmp_1 -> log_softmax_0.tmp_2",
    ]


def test_functions_know_their_own_names():
    assert activation.relu.__name__ == "relu" and unary.exp.__doc__.startswith("exp(x)")


def test_refusals():
    with pytest.raises(ArgumentError, match="mish: threshold must not be negative, got -1"):
        activation.mish(*declare(x=X), threshold=-1)
    with pytest.raises(
        EnforceNotMet, match="relu: X must be a Variable, got a numpy array; feed it through fluid.data"
    ):
        activation.relu(X)
