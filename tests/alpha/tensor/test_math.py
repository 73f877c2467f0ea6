import numpy as np
import pytest
from tests.layers.modes import both, declare, operators

import paddle
from refluid.core.errors import ArgumentError, DtypeError
from refluid.eager import base as imperative

A = np.array([[1.5, -2.0, 0.25], [4.0, -0.5, 3.0]], "float32")
B = np.array([[2.0, 0.5, -1.0], [1.0, 8.0, -3.0]], "float32")
UNIT = np.array([[0.1, -0.5], [0.7, 0.9]], "float32")

UNARY = {
    "abs": (np.abs, A), "acos": (np.arccos, UNIT), "asin": (np.arcsin, UNIT), "atan": (np.arctan, A),
    "ceil": (np.ceil, A), "cos": (np.cos, A), "exp": (np.exp, A), "floor": (np.floor, A),
    "log": (np.log, np.abs(A)), "log1p": (np.log1p, np.abs(A)), "reciprocal": (np.reciprocal, A),
    "rsqrt": (lambda x: 1 / np.sqrt(x), np.abs(A)), "sign": (np.sign, A), "sin": (np.sin, A),
    "sqrt": (np.sqrt, np.abs(A)), "square": (np.square, A), "tanh": (np.tanh, A),
    "round": (lambda x: np.trunc(x + np.copysign(0.5, x)), A),
    "stanh": (lambda x: 1.7159 * np.tanh(0.67 * x), A),
}  # fmt: skip

BINARY = {
    "add": np.add, "div": np.divide, "elementwise_add": np.add, "elementwise_sub": np.subtract,
    "elementwise_mul": np.multiply, "elementwise_div": np.divide, "elementwise_max": np.maximum,
    "elementwise_min": np.minimum, "kron": np.kron,
}  # fmt: skip

REDUCTIONS = {
    "sum": np.sum, "max": np.max, "min": np.min, "reduce_sum": np.sum, "reduce_max": np.max, "reduce_min": np.min,
    "reduce_mean": np.mean, "reduce_prod": np.prod,
}  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_an_element_in_both_modes(name):
    expected, x = UNARY[name]
    (out,) = both(lambda x: getattr(paddle, name)(x), x=x)
    np.testing.assert_allclose(out, expected(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_elements_in_both_modes(name):
    (out,) = both(lambda x, y: getattr(paddle, name)(x, y), x=A, y=B)
    np.testing.assert_allclose(out, BINARY[name](A, B), rtol=1e-6)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_in_both_modes(name):
    reduce = getattr(paddle, name)
    whole, rows, kept = both(lambda x: [reduce(x), reduce(x, dim=1), reduce(x, dim=[0, -1], keep_dim=True)], x=A)
    np.testing.assert_allclose(whole, REDUCTIONS[name](A).reshape(1), rtol=1e-6)
    np.testing.assert_allclose(rows, REDUCTIONS[name](A, axis=1), rtol=1e-6)
    assert kept.shape == (1, 1)


def test_whole_numbers_in_both_modes():
    x, y = np.array([7, -7, 9], "int64"), np.array([2, 2, 3], "int64")
    over, rest, power = both(
        lambda x, y: [paddle.elementwise_floordiv(x, y), paddle.elementwise_mod(x, y), paddle.elementwise_pow(x, y)],
        x=x, y=y,
    )  # fmt: skip
    assert rest.tolist() == [1, -1, 0] and over.tolist() == [3, -3, 3] and power.tolist() == [49, 49, 729]


def test_add_scales_its_second_part_in_both_modes():
    (out,) = both(lambda x, y: paddle.add(x, y, alpha=10), x=A, y=B)
    np.testing.assert_allclose(out, A + 10 * B)


def test_sums_of_lists_in_both_modes():
    outs = both(lambda x, y: [paddle.elementwise_sum([x, y, x]), paddle.sums([x, y])], x=A, y=B)
    np.testing.assert_allclose(outs[0], A + B + A)
    np.testing.assert_allclose(outs[1], A + B)


def test_sum_takes_a_dtype_in_both_modes():
    wide, counted = both(
        lambda x, n: [paddle.sum(x, dtype="float64"), paddle.sum(n, dim=0, dtype="int64")],
        x=A, n=np.arange(4, dtype="int32"),
    )  # fmt: skip
    assert wide.dtype == np.float64 and counted.dtype == np.int64 and counted.tolist() == [6]


def test_pow_takes_numbers_and_variables_in_both_modes():
    cube, root = both(lambda x, e: [paddle.pow(x, 3), paddle.pow(x, e)], x=np.abs(A), e=np.array([0.5], "float32"))
    np.testing.assert_allclose(cube, np.abs(A) ** 3, rtol=1e-5)
    np.testing.assert_allclose(root, np.sqrt(np.abs(A)), rtol=1e-5)


def test_arithmetic_of_whole_variables_in_both_modes():
    logsum, both_axes, low, high, running, more, scaled, traced, erf = both(
        lambda x, y: [
            paddle.logsumexp(x, dim=1, keepdim=True),
            paddle.logsumexp(x),
            paddle.clamp(x, min=0),
            paddle.clamp(x, -1, 1),
            paddle.cumsum(x, axis=0),
            paddle.addcmul(x, x, y, value=0.5),
            paddle.scale(x, 2.0, bias=1.0),
            paddle.trace(x, offset=1),
            paddle.erf(x),
        ],
        x=A, y=B,
    )  # fmt: skip
    np.testing.assert_allclose(logsum, np.log(np.exp(A).sum(1, keepdims=True)), rtol=1e-5)
    np.testing.assert_allclose(both_axes, [np.log(np.exp(A).sum())], rtol=1e-5)
    np.testing.assert_array_equal(low, np.maximum(A, 0))
    np.testing.assert_array_equal(high, np.clip(A, -1, 1))
    np.testing.assert_allclose(running, np.cumsum(A, 0))
    np.testing.assert_allclose(more, A + 0.5 * A * B)
    np.testing.assert_allclose(scaled, 2 * A + 1)
    np.testing.assert_allclose(traced, [np.trace(A, offset=1)])
    assert erf.shape == A.shape


def test_increment_counts_in_place():
    with imperative.guard():
        x = paddle.zeros([1], "float32")
        paddle.increment(x)
        paddle.increment(x, 2)
        assert x.numpy().tolist() == [3.0]


def test_round_keeps_digits_in_both_modes():
    (out,) = both(lambda x: paddle.round(x, 1), x=np.array([0.26, -1.34], "float32"))
    np.testing.assert_allclose(out, [0.3, -1.3], rtol=1e-6)


OUTS = {
    "abs": lambda x, out: paddle.abs(x, out=out),
    "add": lambda x, out: paddle.add(x, x, out=out),
    "div": lambda x, out: paddle.div(x, x, out=out),
    "addcmul": lambda x, out: paddle.addcmul(x, x, x, out=out),
    "clamp": lambda x, out: paddle.clamp(x, 0, 1, output=out),
    "kron": lambda x, out: paddle.kron(x, x, out=out),
    "log1p": lambda x, out: paddle.log1p(x, out=out),
    "logsumexp": lambda x, out: paddle.logsumexp(x, out=out),
    "max": lambda x, out: paddle.max(x, 1, out=out),
    "min": lambda x, out: paddle.min(x, 1, out=out),
    "pow": lambda x, out: paddle.pow(x, 2, out=out),
    "round": lambda x, out: paddle.round(x, out=out),
    "sums": lambda x, out: paddle.sums([x, x], out=out),
    "trace": lambda x, out: paddle.trace(x, out=out),
}


@pytest.mark.parametrize("name", OUTS)
def test_out_takes_the_result_in_both_modes(name):
    def through_out(x):
        out = paddle.create_tensor("float32")
        assert OUTS[name](x, out) is out
        return [out, OUTS[name](x, None)]

    ours, theirs = both(through_out, x=np.abs(A))
    np.testing.assert_array_equal(ours, theirs)


def test_results_are_named_after_the_call():
    (x,) = declare(x=A)
    paddle.add(x, x)
    paddle.sum(x, name="total")
    paddle.max(x)
    assert operators() == [
        "elementwise_add: x x -> elementwise_add_0.tmp_0",
        "reduce_sum: x -> total.tmp_0",
        "reduce_max: x -> max_0.tmp_0",
    ]


def test_gradients_go_through():
    with imperative.guard():
        x = imperative.to_variable(A)
        x.stop_gradient = False
        paddle.sum(paddle.add(paddle.square(x), x, alpha=3.0), dtype="float64").backward()
        np.testing.assert_allclose(x.gradient(), 2 * A + 3)
        assert x.gradient().dtype == np.float32


def test_wrong_arguments_are_named():
    (x,) = declare(x=A)
    with pytest.raises(DtypeError, match="sum: dtype must be one of float32, float64, int32, int64, got 'bool'"):
        paddle.sum(x, dtype="bool")
    with pytest.raises(ArgumentError, match="elementwise_sum: inputs must be a list of Variables"):
        paddle.elementwise_sum([1, 2])
    with pytest.raises(ArgumentError, match="clamp: min or max must be given"):
        paddle.clamp(x)
