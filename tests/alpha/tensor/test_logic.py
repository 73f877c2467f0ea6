import numpy as np
import pytest
from tests.layers.modes import both, operators

import paddle

X = np.array([[1, 2], [3, 4]], "float32")
Y = np.array([[1, 5], [0, 4]], "float32")
COMPARED = {
    "elementwise_equal": np.equal, "not_equal": np.not_equal, "less_than": np.less, "less_equal": np.less_equal,
    "greater_than": np.greater, "greater_equal": np.greater_equal,
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARED)
def test_comparisons_in_both_modes(name):
    (out,) = both(lambda x, y: getattr(paddle, name)(x, y), x=X, y=Y)
    np.testing.assert_array_equal(out, COMPARED[name](X, Y))


def test_equal_compares_whole_variables_in_both_modes():
    same, other, close, far = both(
        lambda x, y: [paddle.equal(x, x), paddle.equal(x, y), paddle.allclose(x, x), paddle.allclose(x, y, rtol=0.1)],
        x=X, y=Y,
    )  # fmt: skip
    assert (same.tolist(), other.tolist(), close.tolist(), far.tolist()) == ([True], [False], [True], [False])


def test_logic_in_both_modes():
    x, y = X > 2, Y > 2
    results = both(
        lambda x, y: [
            paddle.logical_and(x, y), paddle.logical_or(x, y), paddle.logical_xor(x, y), paddle.logical_not(x),
            paddle.reduce_all(x), paddle.reduce_any(x, dim=1),
        ],
        x=x, y=y,
    )  # fmt: skip
    for ours, theirs in zip(results, [x & y, x | y, x ^ y, ~x, [x.all()], x.any(1)], strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_what_is_not_a_number_in_both_modes():
    odd = np.array([1, np.inf, np.nan], "float32")
    finite, inf, nan, empty = both(
        lambda x: [paddle.isfinite(x), paddle.has_inf(x), paddle.has_nan(x), paddle.is_empty(x)], x=odd
    )
    assert [bool(one[0]) for one in (finite, inf, nan, empty)] == [False, True, True, False]


def test_out_and_names():
    def through_out(x, y):
        out = paddle.create_tensor("bool")
        assert paddle.logical_and(x, y, out=out) is out
        cond = paddle.create_tensor("bool")
        assert paddle.less_than(x, y, cond=cond) is cond
        return [out]

    (out,) = both(through_out, x=X > 2, y=Y > 2)
    np.testing.assert_array_equal(out, (X > 2) & (Y > 2))
    a = paddle.ones([1], "float32")
    paddle.equal(a, a, name="whole")
    assert operators()[-1] == "equal_reduce: fill_constant_0.tmp_0 fill_constant_0.tmp_0 -> whole.tmp_0"
