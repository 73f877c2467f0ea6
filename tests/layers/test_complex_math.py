"""ComplexVariable and paddle.complex beside numpy."""

import numpy as np
import pytest

import paddle
import paddle.complex as complex_functions
import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D = fluid.dygraph
A = np.array([[1 + 2j, 3 - 1j], [2.0, 1j]])
B = np.array([[0.5 - 1j, 2.0], [1 + 1j, 3 - 2j]])
R = np.array([[2.0, 3.0], [1.0, 4.0]])


@pytest.fixture(autouse=True)
def imperative():
    with D.guard():
        yield


TWO = {
    "elementwise_add": np.add,
    "elementwise_sub": np.subtract,
    "elementwise_mul": np.multiply,
    "elementwise_div": np.divide,
    "kron": np.kron,
    "matmul": np.matmul,
}


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("pair", [(A, B), (A, R), (R, B)], ids=["complex", "real behind", "real before"])
def test_functions_of_two(name, pair):
    found = getattr(paddle.complex, name)(*map(D.to_variable, pair))
    np.testing.assert_allclose(found.numpy(), TWO[name](*pair), rtol=1e-12)


ONE = {
    "reshape": (lambda x: complex_functions.reshape(x, [4]), lambda a: a.reshape(4)),
    "sum": (lambda x: complex_functions.sum(x, 1, keep_dim=True), lambda a: a.sum(1, keepdims=True)),
    "trace": (lambda x: complex_functions.trace(x, 1), lambda a: np.trace(a, 1)),
    "transpose": (lambda x: complex_functions.transpose(x, [1, 0]), np.transpose),
    "matmul": (
        lambda x: complex_functions.matmul(x, x, transpose_x=True, alpha=2.0),
        lambda a: 2 * a.T @ a,
    ),
}


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one(name):
    ours, theirs = ONE[name]
    np.testing.assert_allclose(np.squeeze(ours(D.to_variable(A)).numpy()), np.squeeze(theirs(A)), rtol=1e-12)


def test_what_a_complex_variable_is():
    x = D.to_variable(A.astype("complex64"), name="z")
    assert isinstance(x, fluid.ComplexVariable) and x.dtype == "complex64" and x.shape == [2, 2]
    assert x.name == {"real": "z.real", "imag": "z.imag"} and x.numpy().dtype == np.complex64
    assert D.to_variable(x) is x and "REAL: name z.real" in str(x)
    x.name = "w"
    assert x.name["imag"] == "w.imag" and D.to_variable(1 + 2j).numpy() == [1 + 2j]


def test_gradients_go_to_its_parts():
    x = D.to_variable(A)
    x.real.stop_gradient = x.imag.stop_gradient = False
    fluid.layers.reduce_sum(complex_functions.elementwise_mul(x, x).real).backward()
    np.testing.assert_allclose(x.real.gradient(), 2 * A.real)
    np.testing.assert_allclose(x.imag.gradient(), -2 * A.imag)


def test_what_is_refused():
    real = D.to_variable(R)
    with pytest.raises(EnforceNotMet, match="complex.kron: one of x and y must be a ComplexVariable"):
        complex_functions.kron(real, real)
    with pytest.raises(EnforceNotMet, match="complex.sum: expected a ComplexVariable, got VarBase"):
        complex_functions.sum(real)
    with pytest.raises(EnforceNotMet, match=r"of one shape and dtype, got float64 \[2, 2\], float32 \[2, 2\]"):
        fluid.ComplexVariable(real, D.to_variable(R.astype("float32")))
