import numpy as np
import pytest
from tests.layers.modes import both, declare

import paddle
from refluid.core.errors import ArgumentError, DtypeError
from refluid.eager import base as imperative

X = np.array([[5, 8, 9, 5], [0, 0, 1, 7], [6, 9, 2, 4]], "float32")


def test_orders_in_both_modes():
    values, places, down, down_places, ordered, by, top, top_places = both(
        lambda x: [
            *paddle.sort(x),
            *paddle.sort(x, axis=0, descending=True),
            *paddle.argsort(x, axis=-1),
            *paddle.topk(x, k=2),
        ],
        x=X,
    )
    np.testing.assert_array_equal(values, np.sort(X))
    np.testing.assert_array_equal(ordered, values)
    np.testing.assert_array_equal(np.take_along_axis(X, places, 1), values)
    np.testing.assert_array_equal(np.take_along_axis(X, by, 1), values)
    np.testing.assert_array_equal(down, -np.sort(-X, 0))
    np.testing.assert_array_equal(np.take_along_axis(X, down_places, 0), down)
    np.testing.assert_array_equal(top, -np.sort(-X)[:, :2])
    np.testing.assert_array_equal(np.take_along_axis(X, top_places, 1), top)


@pytest.mark.parametrize("order", [paddle.sort, paddle.argsort])
def test_gradients_go_to_where_the_elements_were(order):
    with imperative.guard():
        x = imperative.to_variable(np.array([3, 1, 2], "float32"))
        x.stop_gradient = False
        paddle.sum(order(x)[0] * imperative.to_variable(np.array([1, 2, 3], "float32"))).backward()
        assert x.gradient().tolist() == [3, 1, 2]


def test_largest_and_smallest_in_both_modes():
    last, first, kept, small, low = both(
        lambda x: [
            paddle.argmax(x),
            paddle.argmax(x, axis=0),
            paddle.argmax(x, axis=1, keepdims=True),
            paddle.argmax(x, axis=1, dtype="int32"),
            paddle.argmin(x, axis=1),
        ],
        x=X,
    )
    np.testing.assert_array_equal(last, X.argmax(1))
    np.testing.assert_array_equal(first, X.argmax(0))
    np.testing.assert_array_equal(kept, X.argmax(1)[:, None])
    assert last.dtype == np.int64 and small.dtype == np.int32
    np.testing.assert_array_equal(low, X.argmin(1))


def test_nonzero_in_both_modes():
    places, rows, columns = both(lambda x: [paddle.nonzero(x), *paddle.nonzero(x, as_tuple=True)], x=X)
    np.testing.assert_array_equal(places, np.argwhere(X))
    np.testing.assert_array_equal(rows[:, 0], X.nonzero()[0])
    np.testing.assert_array_equal(columns[:, 0], X.nonzero()[1])


def test_where_in_both_modes():
    same, spread, by_row = both(
        lambda x, row: [
            paddle.where(x > 5.0, x, -x),
            paddle.where(x > 5.0, x, row),
            paddle.where(row > 5.0, x, -x),
        ],
        x=X, row=X[0],
    )  # fmt: skip
    np.testing.assert_array_equal(same, np.where(X > 5, X, -X))
    np.testing.assert_array_equal(spread, np.where(X > 5, X, X[0]))
    np.testing.assert_array_equal(by_row, np.where(X[0] > 5, X, -X))


@pytest.mark.parametrize(
    ("condition", "x", "y"),
    [((3, 4), (1,), (1,)), ((1,), (3, 4), (4,)), ((3, 1), (1, 4), (1, 1)), ((4,), (3, 1), (1,))],
)
def test_where_broadcasts_all_three_to_one_shape(condition, x, y):
    given = {
        "c": np.arange(np.prod(condition)).reshape(condition) % 2 == 0,
        "x": np.arange(np.prod(x), dtype="float32").reshape(x),
        "y": -1 - np.arange(np.prod(y), dtype="float32").reshape(y),
    }
    (out,) = both(paddle.where, **given)
    np.testing.assert_array_equal(out, np.where(*given.values()))


def test_where_has_no_gradient_where_it_does_not_choose():
    with imperative.guard():
        x = imperative.to_variable(X)
        x.stop_gradient = False
        chosen = paddle.where(x > 5.0, x * 3.0, paddle.zeros_like(x))
        paddle.sum(chosen).backward()
        np.testing.assert_array_equal(x.gradient(), 3.0 * (X > 5))


@pytest.mark.parametrize(
    "call, dtype",
    [
        (lambda x, out: paddle.argmax(x, out=out), "int64"),
        (lambda x, out: paddle.sort(x, out=out)[0], "float32"),
    ],
)
def test_out_takes_the_result_in_both_modes(call, dtype):
    def through_out(x):
        out = paddle.create_tensor(dtype)
        assert call(x, out) is out
        return [out, call(x, None)]

    ours, theirs = both(through_out, x=X)
    np.testing.assert_array_equal(ours, theirs)


def test_wrong_arguments_are_named():
    (x,) = declare(x=X)
    with pytest.raises(DtypeError, match="argmax: dtype must be int32 or int64, got 'float32'"):
        paddle.argmax(x, dtype="float32")
    with pytest.raises(ArgumentError, match="where: y must be a Variable, got int"):
        paddle.where(x > 1.0, x, 3)
