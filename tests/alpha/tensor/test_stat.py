import numpy as np
import pytest
from tests.layers.modes import both, declare

import paddle
from refluid.core.errors import ArgumentError, DtypeError
from refluid.eager import base as imperative

X = np.random.RandomState(3).rand(4, 3, 2).astype("float32")
HOW = [
    {}, {"axis": 0}, {"axis": [0, 2]}, {"axis": [-1], "keepdim": True}, {"unbiased": False},
    {"axis": [1], "unbiased": False}, {"axis": 0, "unbiased": False, "keepdim": True},
]  # fmt: skip


def expected(function, axis=None, keepdim=False, unbiased=True):
    axes = tuple(axis) if isinstance(axis, list) else axis
    return np.atleast_1d(function(X, axis=axes, keepdims=keepdim, ddof=int(unbiased)))


@pytest.mark.parametrize("how", HOW, ids=str)
def test_variances_in_both_modes_where_the_batch_is_not_known(how):
    var, std = both(lambda x: [paddle.var(x, **how), paddle.std(x, **how)], x=X)
    np.testing.assert_allclose(var, np.squeeze(expected(np.var, **how)).reshape(var.shape), rtol=1e-5)
    np.testing.assert_allclose(std, np.squeeze(expected(np.std, **how)).reshape(std.shape), rtol=1e-5)
    if "axis" in how:
        assert var.shape == expected(np.var, **how).shape


def test_the_variance_of_one_element_is_zero_in_both_modes():
    known, unknown = both(lambda x: [paddle.var(x[:, 0:1, 0:1], [1, 2]), paddle.var(x, 0)], x=X[:1])
    assert not known.any() and not unknown.any()


def test_mean_is_one_number_in_both_modes():
    (mean,) = both(lambda x: paddle.mean(x), x=X)
    np.testing.assert_allclose(mean, [X.mean()], rtol=1e-6)


def test_the_gradient_of_a_variance():
    with imperative.guard():
        x = imperative.to_variable(X)
        x.stop_gradient = False
        paddle.var(x).backward()
        np.testing.assert_allclose(x.gradient(), 2 * (X - X.mean()) / (X.size - 1), rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("unbiased", [True, False])
def test_out_takes_the_result_in_both_modes(unbiased):
    def through_out(x):
        outs = [paddle.create_tensor("float32"), paddle.create_tensor("float32")]
        assert paddle.var(x, 0, unbiased=unbiased, out=outs[0]) is outs[0]
        assert paddle.std(x, 0, unbiased=unbiased, out=outs[1]) is outs[1]
        return outs

    var, std = both(through_out, x=X)
    np.testing.assert_allclose(var, X.var(0, ddof=int(unbiased)), rtol=1e-5)
    np.testing.assert_allclose(std, X.std(0, ddof=int(unbiased)), rtol=1e-5)


def test_wrong_arguments_are_named():
    (x,) = declare(x=X)
    with pytest.raises(ArgumentError, match=r"var: axis must be in \[-3, 2\], got 3"):
        paddle.var(x, 3)
    with pytest.raises(DtypeError, match="std: input must be float32 or float64, got"):
        paddle.std(paddle.cast(x, "int64"))
