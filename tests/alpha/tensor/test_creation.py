import numpy as np
import pytest
from tests.layers.modes import both, operators

import paddle
from refluid.core.errors import ArgumentError, DtypeError
from refluid.eager import base as imperative

X = np.arange(6, dtype="float32").reshape(2, 3)


def test_filled_variables_in_both_modes():
    made = both(
        lambda: [
            paddle.full([2, 3], 1.5),
            paddle.full(shape=[2], fill_value=7, dtype="int64", device="cpu"),
            paddle.zeros([2, 2], "int32"),
            paddle.ones([3]),
            paddle.eye(2, 3),
            paddle.eye(2, dtype="int64"),
            paddle.fill_constant([1], "float64", 0.5),
            paddle.diag(np.array([1.0, 2.0], "float32")),
        ]
    )
    expected = [
        np.full((2, 3), 1.5, "float32"), np.full(2, 7, "int64"), np.zeros((2, 2), "int32"), np.ones(3, "float32"),
        np.eye(2, 3, dtype="float32"), np.eye(2, dtype="int64"), np.full(1, 0.5), np.diag([1.0, 2.0]).astype("float32"),
    ]  # fmt: skip
    for ours, theirs in zip(made, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype


def test_the_shape_of_another_variable_in_both_modes():
    made = both(
        lambda x: [
            paddle.zeros_like(x),
            paddle.ones_like(x, dtype="int64"),
            paddle.full_like(x, 2.5),
            paddle.full_like(x, 3, dtype="int32"),
        ],
        x=X,
    )
    assert [str(one.dtype) for one in made] == ["float32", "int64", "float32", "int32"]
    assert [one[0, 0] for one in made] == [0, 1, 2.5, 3]
    assert all(one.shape == (2, 3) for one in made)


def test_rows_of_numbers_in_both_modes():
    arange, counted, spaced = both(
        lambda: [paddle.arange(1, 7, 2), paddle.arange(0, 3, dtype="int64"), paddle.linspace(0, 1, 5, "float64")]
    )
    np.testing.assert_array_equal(arange, np.array([1, 3, 5], "float32"))
    np.testing.assert_array_equal(counted, np.arange(3))
    np.testing.assert_array_equal(spaced, np.linspace(0, 1, 5))


def test_triangles_and_grids_in_both_modes():
    lower, upper, *grids = both(
        lambda x, y: [paddle.tril(x, -1), paddle.triu(x), *paddle.meshgrid([y, y])], x=X, y=X[0]
    )
    np.testing.assert_array_equal(lower, np.tril(X, -1))
    np.testing.assert_array_equal(upper, np.triu(X))
    for ours, theirs in zip(grids, np.meshgrid(X[0], X[0], indexing="ij"), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    "make",
    [
        lambda out: paddle.full([2], 3, out=out),
        lambda out: paddle.ones([2], out=out),
        lambda out: paddle.zeros([2], "float32", out=out),
        lambda out: paddle.linspace(0, 1, 2, "float32", out=out),
        lambda out: paddle.eye(2, 1, out=out),
        lambda out: paddle.full_like(paddle.ones([2]), 5, out=out),
    ],
)
def test_out_takes_the_result_in_both_modes(make):
    def through_out():
        out = paddle.create_tensor("float32")
        made = make(out)
        assert made is out
        return [out, make(None)]

    ours, theirs = both(through_out)
    np.testing.assert_array_equal(ours, theirs)


def test_names_and_stop_gradient():
    made = [
        paddle.full([1], 1, name="mine"),
        paddle.ones_like(paddle.full([1], 2)),
        paddle.eye(2, name="unit"),
        paddle.linspace(0, 1, 3, "float32", name="steps"),
    ]
    assert [var.name for var in made] == ["mine.tmp_0", "ones_like_0.tmp_0", "unit.tmp_0", "steps.tmp_0"]
    assert "fill_any_like: full_0.tmp_0 -> ones_like_0.tmp_0" in operators()
    assert all(var.stop_gradient for var in made[:3])
    for make in (lambda: paddle.full([2], 3, stop_gradient=False), lambda: paddle.eye(2, stop_gradient=False)):
        assert not make().stop_gradient
        with imperative.guard():
            x = make()
            paddle.sum(x * x).backward()
            np.testing.assert_array_equal(x.gradient(), 2 * x.numpy())


def test_wrong_arguments_are_named():
    with pytest.raises(ArgumentError, match="full: device must be 'cpu', 'gpu' or None, got 'tpu'"):
        paddle.full([1], 1, device="tpu")
    with pytest.raises(ArgumentError, match="eye: num_columns must be 0 or more, got -2"):
        paddle.eye(2, -2)
    with pytest.raises(DtypeError, match="linspace: dtype must be float32 or float64, got 'int64'"):
        paddle.linspace(0, 1, 3, "int64")
