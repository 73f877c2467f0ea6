import numpy as np
import pytest
from tests.layers.modes import both, declare, operators

from refluid.core.errors import ArgumentError, DtypeError, ShapeError
from refluid.eager import base as imperative
from refluid.ir.program import default_main_program
from refluid.layers.creation import fill_constant

X = np.arange(1, 25, dtype="float32").reshape(2, 3, 4)
I = np.array([[7], [-7]], "int64")


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x + 1, lambda x: 1.5 + x, lambda x: x - 2, lambda x: 2 - x, lambda x: x * 0.5, lambda x: x / 4,
        lambda x: 8 / x, lambda x: x**2, lambda x: 2**x, lambda x: -x, lambda x: x % 3, lambda x: x + x * x - x / x,
        lambda x: x < 5, lambda x: x >= 5, lambda x: x > x, lambda x: x == 3, lambda x: x != x,
        lambda x: np.float32(2) * x, lambda x: np.ones((3, 4), "float32") + x,
        lambda x: x[0], lambda x: x[-1], lambda x: x[0, 1, 2], lambda x: x[:, 1:3], lambda x: x[..., 0],
        lambda x: x[:, ::2], lambda x: x[:, ::-1], lambda x: x[1:, -2:, 3:0:-2], lambda x: x[0, ::2],
        lambda x: x[:, -1, 1::2],
    ],
)  # fmt: skip
def test_operators_mean_what_they_mean_in_numpy_in_both_modes(build):
    expected = np.asarray(build(X))
    (out,) = both(build, x=X)
    assert out.shape == (expected.shape or (1,))
    np.testing.assert_allclose(out, expected, rtol=1e-5)


def test_integers_divide_towards_zero_in_both_modes():
    divided, floored, left = both(lambda i: [i / 2, i // 2, i % 4], i=I)
    assert divided.tolist() == [[3], [-3]] and floored.tolist() == [[3], [-3]] and left.tolist() == [[3], [-3]]
    assert divided.dtype == np.int64


def test_the_second_operand_is_cast_to_the_dtype_of_the_first():
    mixed, other = both(lambda x, i: [x[0, 0, 0] + i[0], i[0] + x[0, 0, 1]], x=X, i=I)
    assert mixed.tolist() == [8.0] and mixed.dtype == np.float32 and other.tolist() == [9] and other.dtype == np.int64


def test_names_and_constants_are_those_of_fluid():
    x, i = declare(x=X, i=I)
    x + 1.0, x**2, 2.0 / x, x > 1, x[0], x[:, 0:2:2], x[:, ::-1], i + x, x * np.float32(2)
    assert operators() == [
        "scale: x -> tmp_0",
        "fill_constant:  -> tmp_1",
        "elementwise_pow: x tmp_1 -> tmp_2",
        "fill_constant_batch_size_like: x -> tmp_3",
        "elementwise_div: tmp_3 x -> tmp_4",
        "fill_constant:  -> tmp_5",
        "greater_than: x tmp_5 -> tmp_6",
        "slice: x -> x_slice_0",
        "strided_slice: x -> x_strided_slice_0",
        "reverse: x -> x_slice_reverse_0",
        "cast: x -> tmp_7",
        "elementwise_add: i tmp_7 -> tmp_8",
        "fill_constant:  -> tmp_9",
        "elementwise_mul: x tmp_9 -> tmp_10",
    ]
    block = default_main_program().global_block()
    stopped = [name for name, var in block.vars.items() if var.stop_gradient and name != "i"]
    assert stopped == ["tmp_1", "tmp_3", "tmp_5", "tmp_9"]
    assert [op.attr("axis") for op in block.ops if op.type.startswith("elementwise")] == [-1, 0, 0, -1]


def test_variables_are_indices_and_ends_of_slices():
    one, part, pair = both(
        lambda x: [
            x[fill_constant([1], "int32", 1)],
            x[:, 0 : fill_constant([1], "int32", 2)],
            x[0, fill_constant([1], "int32", 1) :],
        ],
        x=X,
    )
    np.testing.assert_array_equal(one, X[1])
    np.testing.assert_array_equal(part, X[:, :2])
    np.testing.assert_array_equal(pair, X[0, 1:])


def test_gradients_flow_through_operators_and_slices():
    with imperative.guard():
        x = imperative.to_variable(X)
        x.stop_gradient = False
        y = (x[:, 1] * 2.0 + 1.0) / x[:, 0]
        y[0, 0].backward()
        grad = x.gradient()
        assert grad[0, 1, 0] == 2.0 and grad[0, 0, 0] == -11.0 and np.count_nonzero(grad) == 2


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x, i: i + 1.5, DtypeError, "1.5 with i: int64 takes whole numbers; use astype first"),
        (lambda x, i: x / 0, ArgumentError, "division of x by the number 0"),
        (
            lambda x, i: x + "a",
            ArgumentError,
            "elementwise_add: the other operand must be a variable or a number, got 'a'",
        ),
        (lambda x, i: x[:, 5], IndexError, r"index 5 is out of range for axis 1 of x \[-1, 3, 4\]"),
        (lambda x, i: x[0, 0, 0, 0], ShapeError, "x has 3 axes, but 4 indices were given"),
        (lambda x, i: x[[0, 1]], ArgumentError, r"x\[...\]: an index must be an int or a slice, got list"),
        (lambda x, i: x[::0], ArgumentError, "the step of a slice must be an int other than 0, got 0"),
    ],
)
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call(*declare(x=X, i=I))


def test_a_variable_can_be_looked_for_in_a_list_of_other_things():
    (x,) = declare(x=X)
    assert x not in [None, "x"] and (x == None) is False  # noqa: E711
