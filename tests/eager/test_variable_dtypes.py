"""Operators between variables, numbers and arrays of several dtypes."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D, L = fluid.dygraph, fluid.layers
X = np.array([[1.5, -2.0, 4.0]], "float32")


@pytest.fixture
def imperative():
    with D.guard():
        yield


@pytest.mark.parametrize("array", [np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0]), np.array([1, 2, 3], "int32")])
def test_an_array_takes_the_dtype_of_the_variable_on_either_side(array, imperative):
    x = D.to_variable(X)
    for found, expected in ((array - x, array - X), (x - array, X - array), (array / x, array / X)):
        assert found.numpy().dtype == np.float32
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "join", [L.concat, L.stack, lambda xs: L.multiplex(xs, D.to_variable(np.zeros((1, 1), "int32")))]
)
def test_what_is_joined_has_one_dtype(join, imperative):
    with pytest.raises(EnforceNotMet, match=r"X\[1\] is int64, but X\[0\] is float32; use cast first"):
        join([D.to_variable(X), D.to_variable(np.array([[1, 2, 3]]))])


def test_programs_refuse_to_join_dtypes_when_they_are_made():
    with fluid.program_guard(fluid.Program()):
        x, n = fluid.data("x", [1, 3]), fluid.data("n", [1, 3], "int64")
        with pytest.raises((EnforceNotMet, TypeError), match="int64"):
            L.concat([x, n])


def test_a_number_that_a_dtype_does_not_hold_is_named(imperative):
    n = D.to_variable(np.array([1, 2], "int32"))
    with pytest.raises(
        EnforceNotMet, match=r"value must be in \[-2147483648, 2147483647\], what int32 holds, got 10995"
    ):
        L.less_than(n, n < 2**40)
