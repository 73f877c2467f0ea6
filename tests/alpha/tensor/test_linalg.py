import numpy as np
import pytest
from tests.layers.modes import both, declare

import paddle
from refluid.core.errors import ArgumentError, ShapeError
from refluid.eager import base as imperative

A = np.array([[1.5, -2.0, 0.25], [4.0, -0.5, 3.0]], "float32")
B = np.array([[2.0, 0.5, -1.0], [1.0, 8.0, -3.0]], "float32")
SQUARE = np.array([[[4.0, 1.0], [1.0, 3.0]]], "float32")


def test_products_in_both_modes():
    mm, flat, turned, product, inner, by_rows, sum_of_two = both(
        lambda x, y, z, b: [
            paddle.mm(x, z),
            paddle.mul(x, z),
            paddle.matmul(x, y, transpose_y=True, alpha=2.0),
            paddle.bmm(b, paddle.transpose(b, [0, 2, 1])),
            paddle.dot(x, y),
            paddle.cross(x, y),
            paddle.addmm(paddle.zeros([1, 1], "float32"), x, paddle.t(y), alpha=3.0),
        ],
        x=A, y=B, z=np.ascontiguousarray(B.T), b=A[None],
    )  # fmt: skip
    np.testing.assert_allclose(mm, A @ B.T, rtol=1e-6)
    np.testing.assert_allclose(flat, A @ B.T, rtol=1e-6)
    np.testing.assert_allclose(turned, 2 * (A @ B.T), rtol=1e-6)
    np.testing.assert_allclose(product, (A @ A.T)[None], rtol=1e-6)
    np.testing.assert_allclose(inner, (A * B).sum(1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(by_rows, np.cross(A, B), rtol=1e-6)
    np.testing.assert_allclose(sum_of_two, 3 * (A @ B.T), rtol=1e-6)


def test_factors_and_inverses_in_both_modes():
    inverse, lower, upper = both(
        lambda x: [paddle.inverse(x), paddle.cholesky(x), paddle.cholesky(x, upper=True)], x=SQUARE
    )
    np.testing.assert_allclose(inverse, np.linalg.inv(SQUARE), rtol=1e-5)
    np.testing.assert_allclose(lower, np.linalg.cholesky(SQUARE), rtol=1e-5)
    np.testing.assert_allclose(upper, np.linalg.cholesky(SQUARE).transpose(0, 2, 1), rtol=1e-5)


def test_transposed_in_both_modes():
    turned, vector, axes = both(lambda x, v: [paddle.t(x), paddle.t(v), paddle.transpose(x, [1, 0])], x=A, v=A[0])
    np.testing.assert_array_equal(turned, A.T)
    np.testing.assert_array_equal(axes, A.T)
    np.testing.assert_array_equal(vector, A[0])


NORMS = [
    ({}, lambda x: np.sqrt((x**2).sum()).reshape(1)),
    ({"axis": 1}, lambda x: np.linalg.norm(x, axis=1)),
    ({"axis": [0, 1], "keepdim": True}, lambda x: np.linalg.norm(x, keepdims=True)),
    ({"p": 1, "axis": -1}, lambda x: np.abs(x).sum(-1)),
    ({"p": 3, "axis": 0, "keepdim": True}, lambda x: (np.abs(x) ** 3).sum(0, keepdims=True) ** (1 / 3)),
    ({"p": 3}, lambda x: ((np.abs(x) ** 3).sum() ** (1 / 3)).reshape(1)),
    ({"p": 2, "axis": [0, 1]}, lambda x: np.sqrt((x**2).sum()).reshape(1)),
    ({"p": np.inf, "axis": 1}, lambda x: np.abs(x).max(1)),
    ({"p": -np.inf}, lambda x: np.abs(x).min().reshape(1)),
]


@pytest.mark.parametrize("how, expected", NORMS, ids=lambda how: str(how) if isinstance(how, dict) else "")
def test_norms_in_both_modes(how, expected):
    (out,) = both(lambda x: paddle.norm(x, **how), x=A)
    np.testing.assert_allclose(out, expected(A), rtol=1e-5)


def test_the_gradient_of_a_norm():
    with imperative.guard():
        x = imperative.to_variable(A)
        x.stop_gradient = False
        paddle.norm(x).backward()
        np.testing.assert_allclose(x.gradient(), A / np.linalg.norm(A), rtol=1e-5)


def test_distances_in_both_modes():
    far, most = both(lambda x, y: [paddle.dist(x, y, 2), paddle.dist(x, y, float("inf"))], x=A, y=B)
    np.testing.assert_allclose(far, [np.linalg.norm(A - B)], rtol=1e-5)
    np.testing.assert_allclose(most, [np.abs(A - B).max()], rtol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, out: paddle.mm(x, x, out=out),
        lambda x, out: paddle.mul(x, paddle.ones([2, 2]), x_num_col_dims=2, out=out),
        lambda x, out: paddle.inverse(x, out=out),
        lambda x, out: paddle.norm(x, out=out),
        lambda x, out: paddle.norm(x, 1, axis=0, out=out),
        lambda x, out: paddle.norm(x, 3, out=out),
    ],
)
def test_out_takes_the_result_in_both_modes(call):
    def through_out(x):
        out = paddle.create_tensor("float32")
        assert call(x, out) is out
        return [out, call(x, None)]

    ours, theirs = both(through_out, x=SQUARE)
    np.testing.assert_array_equal(ours, theirs)


def test_wrong_arguments_are_named():
    (x,) = declare(x=A)
    with pytest.raises(ArgumentError, match="norm: p must be 'fro', a number above 0, inf or -inf, got 'nuc'"):
        paddle.norm(x, p="nuc")
    with pytest.raises(
        ShapeError, match=r"norm: axis must be one axis or two different ones in \[-2, 1\] or None, got 2"
    ):
        paddle.norm(x, axis=2)
    with pytest.raises(ShapeError, match="inverse: Input must hold square matrices"):
        with imperative.guard():
            paddle.inverse(imperative.to_variable(A))
