"""Gradients of the functions of 2.0-alpha against finite differences, in both modes, and their gradients again."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import imperative
from paddle.nn import functional as F

X = np.random.RandomState(7).permutation(np.linspace(0.3, 1.5, 9)).reshape(3, 3)
STEP = 1e-5


def eye(size: float) -> Any:
    return paddle.scale(paddle.eye(3, dtype="float64"), size)


def index(*shape: int) -> Any:
    return paddle.full(list(shape), 1, dtype="int64")


def image(x: Any) -> Any:
    return paddle.reshape(x, [1, 1, 3, 3])


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "acos": lambda x: paddle.acos(paddle.scale(x, 0.5)),
    "add": lambda x: paddle.add(x, paddle.exp(x), alpha=2),
    "addcmul": lambda x: paddle.addcmul(x, x, paddle.exp(x), value=0.5),
    "addmm": lambda x: paddle.addmm(x, x, paddle.exp(x), alpha=2.0, beta=0.5),
    "asin": lambda x: paddle.asin(paddle.scale(x, 0.5)),
    "atan": paddle.atan,
    "bmm": lambda x: paddle.bmm(paddle.unsqueeze(x, [0]), paddle.unsqueeze(paddle.exp(x), [0])),
    "cholesky": lambda x: paddle.cholesky(paddle.add(paddle.matmul(x, x, False, True), eye(1.0))),
    "cholesky upper": lambda x: paddle.cholesky(paddle.add(paddle.matmul(x, x, True), eye(1.0)), upper=True),
    "clamp": lambda x: paddle.clamp(paddle.exp(x), 1.5, 3.0),
    "cos": paddle.cos,
    "cross": lambda x: paddle.cross(x, paddle.exp(x), dim=1),
    "cumsum": lambda x: paddle.cumsum(paddle.exp(x), axis=0, exclusive=True, reverse=True),
    "dist": lambda x: paddle.dist(x, paddle.exp(x), p=3),
    "div": lambda x: paddle.div(x, paddle.exp(x)),
    "dot": lambda x: paddle.dot(x, paddle.exp(x)),
    "erf": paddle.erf,
    "flip": lambda x: paddle.flip(paddle.exp(x), [0, 1]),
    "gather_nd": lambda x: paddle.gather_nd(paddle.exp(x), index(2, 1)),
    "index_sample": lambda x: paddle.index_sample(paddle.exp(x), index(3, 2)),
    "index_select": lambda x: paddle.index_select(paddle.exp(x), index(2), dim=1),
    "inverse": lambda x: paddle.inverse(paddle.add(x, eye(4.0))),
    "kron": lambda x: paddle.kron(x, paddle.exp(x)),
    "log": paddle.log,
    "log1p": paddle.log1p,
    "logsumexp": lambda x: paddle.logsumexp(x, dim=[0, 1]),
    "logsumexp rows": lambda x: paddle.logsumexp(x, dim=1, keepdim=True),
    "max": lambda x: paddle.max(paddle.exp(x), dim=1),
    "meshgrid": lambda x: paddle.meshgrid([paddle.reshape(x, [9]), paddle.reshape(x, [9])])[1],
    "min": lambda x: paddle.min(paddle.exp(x)),
    "mm": lambda x: paddle.mm(x, paddle.exp(x)),
    "norm": paddle.norm,
    "norm 1.5": lambda x: paddle.norm(x, p=1.5, axis=[0, 1]),
    "norm 3": lambda x: paddle.norm(x, p=3, axis=-1),
    "norm inf": lambda x: paddle.norm(paddle.exp(x), p=np.inf, axis=0),
    "pow": lambda x: paddle.pow(x, 2.5),
    "reciprocal": paddle.reciprocal,
    "roll": lambda x: paddle.roll(paddle.exp(x), [1, -1], [0, 1]),
    "rsqrt": paddle.rsqrt,
    "sin": paddle.sin,
    "sort": lambda x: paddle.sort(paddle.exp(x), axis=0, descending=True)[0],
    "sqrt": paddle.sqrt,
    "stack": lambda x: paddle.stack([x, paddle.exp(x)], axis=-1),
    "stanh": paddle.stanh,
    "std": lambda x: paddle.std(x, axis=1),
    "sum": lambda x: paddle.sum(paddle.exp(x), dim=0, keep_dim=True),
    "tanh": paddle.tanh,
    "trace": lambda x: paddle.trace(paddle.exp(x), offset=-1),
    "tril": lambda x: paddle.tril(paddle.exp(x), 1),
    "triu": lambda x: paddle.triu(paddle.exp(x)),
    "unbind": lambda x: paddle.unbind(paddle.exp(x), axis=1)[2],
    "var": lambda x: paddle.var(x, unbiased=False),
    "where": lambda x: paddle.where(paddle.greater_than(x, paddle.ones_like(x)), paddle.exp(x), x),
    "where [1]": lambda x: paddle.where(paddle.greater_than(x, paddle.ones_like(x)), paddle.exp(x), paddle.mean(x)),
    "conv2d": lambda x: F.conv2d(image(x), image(paddle.exp(x)), padding=1),
    "conv2d_transpose": lambda x: F.conv2d_transpose(image(x), image(paddle.exp(x)), stride=2),
    "hsigmoid": lambda x: F.hsigmoid(x, index(3, 1), paddle.exp(x), None, 4),
    "log_softmax": lambda x: F.log_softmax(x, axis=0),
    "row_conv": lambda x: F.row_conv(paddle.unsqueeze(x, [0]), paddle.exp(x)),
    "sigmoid": F.sigmoid,
}
ONCE = {"hsigmoid"}  # its gradient has none of its own


def summed(name: str, x: Any) -> Any:
    """One number, to which every element of the result adds in a way of its own."""
    y = FUNCTIONS[name](x)
    return paddle.sum(paddle.elementwise_mul(y, y))


def slope(function: Callable[[np.ndarray], float]) -> np.ndarray:
    found = np.zeros_like(X)
    for at in np.ndindex(*X.shape):
        moved = np.zeros_like(X)
        moved[at] = STEP
        found[at] = (function(X + moved) - function(X - moved)) / (2 * STEP)
    return found


def leaf(value: np.ndarray) -> Any:
    x = imperative.to_variable(value)
    x.stop_gradient = False
    return x


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_gradient_is_the_slope_in_both_modes(name):
    x = paddle.data("x", [3, 3], "float64")
    x.stop_gradient = False
    (grad,) = paddle.gradients([summed(name, x)], [x])
    (static,) = paddle.Executor().run(feed={"x": X}, fetch_list=[grad])
    with imperative.guard():
        at = leaf(X)
        summed(name, at).backward()
        expected = slope(lambda value: summed(name, leaf(value)).numpy().item())
    np.testing.assert_allclose(static, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(at.gradient(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ONCE])
def test_the_gradient_of_the_gradient_is_its_slope(name):
    def steepness(x: Any) -> Any:
        (grad,) = imperative.grad(summed(name, x), x, create_graph=True)
        return paddle.sum(paddle.elementwise_mul(grad, grad))

    with imperative.guard():
        at = leaf(X)
        steepness(at).backward()
        expected = slope(lambda value: steepness(leaf(value)).numpy().item())
    np.testing.assert_allclose(at.gradient(), expected, rtol=1e-4, atol=1e-5)
