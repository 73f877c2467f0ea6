"""What the functions of 2.0-alpha refuse, and in which words; the same in both modes."""

import numpy as np
import pytest
from tests.layers.modes import both, declare

import paddle
from refluid.core.errors import EnforceNotMet
from refluid.eager import base as imperative

X = np.ones((2, 3), "float32")

REFUSED = {
    "add: alpha must be a number, got 'a'": lambda x: paddle.add(x, x, alpha="a"),
    "elementwise_add: Out must be a Variable, got str": lambda x: paddle.add(x, x, out="o"),
    "elementwise_div: Out must be a Variable, got": lambda x: paddle.div(x, x, out=np.zeros((2, 3))),
    "addcmul: value must be a number, got 'a'": lambda x: paddle.addcmul(x, x, x, value="a"),
    "addmm: alpha must be a number, got None": lambda x: paddle.addmm(x, x, x, alpha=None),
    "cast: x must be a Variable, got ndarray": lambda x: paddle.cast(X, "int64"),
    "clamp: min must be a number, got 'a'": lambda x: paddle.clamp(x, min="a"),
    "dist: p must be a number, got 'a'": lambda x: paddle.dist(x, x, p="a"),
    "full_like: fill_value must be a number, got 'a'": lambda x: paddle.full_like(x, "a"),
    "linspace: num must be an int, got 2.5": lambda x: paddle.linspace(0, 1, 2.5, "float32"),
    "matmul: alpha must be a number, got 'a'": lambda x: paddle.matmul(x, x, alpha="a"),
    "norm: axis must be one axis or two different ones": lambda x: paddle.norm(x, axis=[1, -1]),
    "pow: exponent must be a number, got None": lambda x: paddle.pow(x, None),
    "randint: low must be an int, got 'a'": lambda x: paddle.randint("a"),
    "randint: high must be an int, got 2.5": lambda x: paddle.randint(0, 2.5),
    "randint: dtype must be int32 or int64, got 'float32'": lambda x: paddle.randint(0, 2, [2], dtype="float32"),
    "randperm: dtype must be int32 or int64, got 'bool'": lambda x: paddle.randperm(3, dtype="bool"),
    "randperm: n must be a positive int, got 'a'": lambda x: paddle.randperm("a"),
    "round: d must be an int, got 'a'": lambda x: paddle.round(x, "a"),
    "scale: scale must be a number, got 'a'": lambda x: paddle.scale(x, "a"),
    "topk: k must be an int, got 'a'": lambda x: paddle.topk(x, "a"),
    "unstack: axis must be an int in [-2, 1], got 5": lambda x: paddle.unstack(x, 5),
    "where: x and y must have one dtype, got float32 and int64": lambda x: paddle.where(
        x > x, x, paddle.ones([2, 3], "int64")
    ),
    "where: condition, x and y must broadcast to one shape": lambda x: paddle.where(
        x > x, x, paddle.ones([4], "float32")
    ),
    "zeros_like: input must be a Variable, got ndarray": lambda x: paddle.zeros_like(X),
}


@pytest.mark.parametrize("says", REFUSED)
def test_a_wrong_argument_is_refused_in_both_modes(says):
    with pytest.raises(EnforceNotMet) as static:
        REFUSED[says](*declare(x=X))
    with imperative.guard(), pytest.raises(EnforceNotMet) as eager:
        REFUSED[says](imperative.to_variable(X))
    assert str(static.value).startswith(says) and str(eager.value).startswith(says)


NUMPY = {
    "eye": lambda x, n: paddle.eye(n(3), n(2)),
    "flatten": lambda x, n: paddle.flatten(x, n(1)),
    "full": lambda x, n: paddle.full([n(2), n(3)], np.float64(2.5)),
    "linspace": lambda x, n: paddle.linspace(np.float32(0), n(1), n(3), "float32"),
    "norm": lambda x, n: paddle.norm(x, np.float32(3), n(1)),
    "round": lambda x, n: paddle.round(x, n(1)),
    "split": lambda x, n: paddle.split(x, n(3), n(-1)),
    "sum": lambda x, n: paddle.sum(x, n(1)),
    "topk": lambda x, n: paddle.topk(x, n(2)),
    "tril": lambda x, n: paddle.tril(x, n(1)),
    "unbind": lambda x, n: paddle.unbind(x, n(1)),
    "unstack": lambda x, n: paddle.unstack(x, n(1)),
    "one_hot": lambda x, n: paddle.nn.functional.one_hot(paddle.cast(x, "int64"), n(4)),
}


@pytest.mark.parametrize("name", NUMPY)
def test_numbers_of_numpy_are_numbers(name):
    found = both(lambda x: NUMPY[name](x, np.int64), x=X)
    expected = both(lambda x: NUMPY[name](x, int), x=X)
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(found, expected, strict=True))


def test_a_number_may_be_the_element_of_a_variable_in_the_imperative_mode():
    with imperative.guard():
        x, two = imperative.to_variable(X), imperative.to_variable(np.array([2.0], "float32"))
        assert (paddle.pow(x + x, two).numpy() == 4).all()
        assert (paddle.nn.clip(x * 5.0, np.float64(0), two).numpy() == 2).all()
        assert (paddle.add(x, x, alpha=two).numpy() == 3).all()
