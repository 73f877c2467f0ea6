"""What a variable of the imperative mode can do: every method and operator of 1.8.5's VarBase."""

import copy
import pickle

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D = fluid.dygraph
X = np.arange(6, dtype="float32").reshape(2, 3)


@pytest.fixture(autouse=True)
def imperative():
    with D.guard():
        yield


@pytest.fixture
def x():
    return D.to_variable(X)


BINARY = {
    "x + y": lambda x, y: x + y,
    "x - y": lambda x, y: x - y,
    "x * y": lambda x, y: x * y,
    "x / y": lambda x, y: x / y,
    "x % y": lambda x, y: x % y,
    "x ** y": lambda x, y: x**y,
    "x < y": lambda x, y: x < y,
    "x <= y": lambda x, y: x <= y,
    "x > y": lambda x, y: x > y,
    "x >= y": lambda x, y: x >= y,
    "x == y": lambda x, y: x == y,
    "x != y": lambda x, y: x != y,
    "2 + x": lambda x, y: 2 + x,
    "2 - x": lambda x, y: 2 - x,
    "2 * x": lambda x, y: 2 * x,
    "2 / y": lambda x, y: 2 / y,
    "2 ** x": lambda x, y: 2**x,
    "x + 1.5": lambda x, y: x + 1.5,
    "x - 1": lambda x, y: x - 1,
    "x * 3": lambda x, y: x * 3,
    "x / 4": lambda x, y: x / 4,
    "x ** 2": lambda x, y: x**2,
    "x < 3": lambda x, y: x < 3,
    "x == 2": lambda x, y: x == 2,
    "-x": lambda x, y: -x,
    "x + np.float32": lambda x, y: x + np.float32(2),
    "array * x": lambda x, y: X * x,
    "x / array": lambda x, y: x / (X + 1),
}


@pytest.mark.parametrize("name", BINARY)
def test_operators_are_those_of_numpy(name, x):
    function = BINARY[name]
    found = function(x, D.to_variable(X[::-1] + 1))
    expected = function(X, X[::-1] + 1)
    assert isinstance(found, type(x))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    assert found.numpy().dtype == np.asarray(expected).dtype


def test_whole_numbers_divide_to_whole_numbers():
    n = D.to_variable(np.array([7, 8, 9]))
    assert (n // D.to_variable(np.array([2, 3, 4]))).numpy().tolist() == [3, 2, 2]
    assert (n % D.to_variable(np.array([2, 3, 4]))).numpy().tolist() == [1, 2, 1]


INDICES = {
    "x[0]": lambda x: x[0],
    "x[-1]": lambda x: x[-1],
    "x[0:1, 1:]": lambda x: x[0:1, 1:],
    "x[:, ::2]": lambda x: x[:, ::2],
    "x[::-1]": lambda x: x[::-1],
    "x[..., 1]": lambda x: x[..., 1],
    "x[1, 0:2]": lambda x: x[1, 0:2],
}


@pytest.mark.parametrize("name", INDICES)
def test_indices_and_slices_and_their_gradients(name, x):
    x.stop_gradient = False
    found = INDICES[name](x)
    assert found.numpy().tolist() == np.atleast_1d(INDICES[name](X)).tolist()
    fluid.layers.reduce_sum(found * found).backward()
    expected = np.zeros_like(X)
    part = INDICES[name](expected)
    part += 2 * INDICES[name](X)
    assert x.gradient().tolist() == expected.tolist()


def test_elements_are_not_assigned(x):
    with pytest.raises(TypeError, match="does not support item assignment"):
        x[0] = 1


def test_it_is_a_python_number_where_it_has_one_element(x):
    one = x[1, 1:2]
    assert float(one) == 4.0 and int(one) == 4 and bool(one) and one.item() == 4.0
    assert list(range(10))[one] == 4 and list(range(x[0, 2:3])) == [0, 1]
    assert "%.1f" % one == "4.0"  # noqa: UP031
    assert one.__long__() == 4 and one.__nonzero__() is True
    for convert in (float, int, bool):
        with pytest.raises(EnforceNotMet, match="only a variable with one element has one"):
            convert(x)


def test_it_is_an_array_to_numpy(x):
    assert np.array(x).tolist() == X.tolist() and np.sum(x) == X.sum()
    x.numpy()[0, 0] = 99
    assert x.numpy()[0, 0] == 0  # a copy


def test_it_can_be_walked_over(x):
    assert len(x) == 2 and [row.numpy().tolist() for row in x] == X.tolist()


def test_what_it_is(x):
    assert x.shape == [2, 3] and x.dtype == fluid.core.VarDesc.VarType.FP32
    assert x.type == fluid.core.VarDesc.VarType.LOD_TENSOR and x.persistable is False and x.stop_gradient
    assert x.name == "generated_var_0" and x.block.program is fluid.default_main_program()
    x.name = "other"
    assert x.name == "other" and x._grad_name() == "other@GRAD"


def test_its_text_is_in_the_format_of_fluid(x):
    for text in (str(x), repr(x), x.to_string(True)):
        assert text == (
            "name generated_var_0, dtype: VarType.FP32 shape: [2, 3] \tlod: {}\n\tdim: 2, 3\n\tlayout: NCHW\n"
            "\tdtype: float\n\tdata: [0 1 2 3 4 5]\n"
        )


def test_astype(x):
    assert x.astype("int64").numpy().dtype == np.int64
    assert x.astype(np.float64).numpy().dtype == np.float64
    assert x.astype(fluid.core.VarDesc.VarType.INT32).numpy().dtype == np.int32
    x.stop_gradient = False
    (x.astype("float64") * 2.0).backward()
    assert x.gradient().dtype == np.float32 and (x.gradient() == 2).all()


def test_set_value_takes_arrays_variables_and_tensors_of_the_same_kind(x):
    x.set_value(X + 1)
    assert x.numpy().tolist() == (X + 1).tolist()
    x.set_value(D.to_variable(X + 2))
    assert x.numpy().tolist() == (X + 2).tolist()
    x.set_value(fluid.create_lod_tensor(X, [[1, 1]], fluid.CPUPlace()))
    assert x.numpy().tolist() == X.tolist()
    with pytest.raises(EnforceNotMet, match="is float32, got float64"):
        x.set_value(X.astype("float64"))
    with pytest.raises(EnforceNotMet, match=r"has the shape \[2, 3\], got \[3\]"):
        x.set_value(X[0])


def test_setting_its_tensor_sets_it(x):
    x.value().get_tensor().set(X * 2, fluid.CPUPlace())
    assert x.numpy().tolist() == (X * 2).tolist()
    assert np.array(x.value().get_tensor()).tolist() == (X * 2).tolist()
    x.get_tensor().set_recursive_sequence_lengths([[1, 1]])
    assert x.lod_level == 1


def test_a_deep_copy_has_its_own_value_and_name(x):
    layer = D.Linear(2, 2)
    copied = copy.deepcopy(layer.weight)
    assert copied.name != layer.weight.name and copied.name.startswith(layer.weight.name)
    assert copied.trainable and copied.optimize_attr == layer.weight.optimize_attr
    copied.set_value(np.zeros((2, 2), "float32"))
    assert layer.weight.numpy().any()
    x.stop_gradient = False
    y = copy.deepcopy(x * 2)
    y.backward()
    assert (y.numpy() == 2 * X).all() and x.gradient() is None  # the graph is not copied


def test_a_pickle_keeps_value_name_and_settings(x):
    weight = D.Linear(2, 2, param_attr=fluid.ParamAttr(learning_rate=0.5)).weight
    again = pickle.loads(pickle.dumps(weight))
    assert again.numpy().tolist() == weight.numpy().tolist()
    assert again.name == weight.name and again.optimize_attr == {"learning_rate": 0.5} and not again.stop_gradient
    assert type(again) is type(weight)


def test_copy_to_a_place(x):
    copied = x._copy_to(fluid.CPUPlace(), True)
    copied.set_value(X + 1)
    assert x.numpy().tolist() == X.tolist()


def test_to_variable_takes_what_fluid_takes_and_more(x):
    assert D.to_variable(x) is x
    assert D.to_variable(X, name="abc").name == "abc"
    assert D.to_variable(3.0).shape == [1] and D.to_variable([1, 2]).shape == [2]
    with pytest.raises(EnforceNotMet, match="expected a numpy array, a list or a number, got str"):
        D.to_variable("text")


def test_to_variable_copies_the_array():
    array = X.copy()
    made = D.to_variable(array)
    array[:] = 0
    assert made.numpy().any()


def test_variables_are_no_keys_of_one_another(x):
    y = D.to_variable(X)
    assert len({x: 1, y: 2}) == 2 and x in [None, x]


def test_no_grad_in_its_three_forms(x):
    x.stop_gradient = False

    @D.no_grad
    def plain(v):
        """Doc."""
        return v * 2

    @D.no_grad()
    def called(v):
        return v * 2

    with D.no_grad():
        inside = x * 2
    assert plain(x).stop_gradient and called(x).stop_gradient and inside.stop_gradient
    assert plain.__doc__ == "Doc." and not (x * 2).stop_gradient
    with pytest.raises(KeyError), D.no_grad():
        raise KeyError
    assert not (x * 2).stop_gradient
