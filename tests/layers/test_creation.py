import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, run

from refluid.core.errors import ArgumentError, ShapeError
from refluid.eager import base as imperative
from refluid.ir.program import default_main_program, default_startup_program
from refluid.layers import creation, parameters, random, tensor
from refluid.params.attr import ParamAttr
from refluid.params.initializer import Constant

X = np.zeros((3, 2), "float32")


def test_constants_in_both_modes():
    found = both(
        lambda x: [
            creation.fill_constant([2], "int64", 2**40 + 1),
            creation.fill_constant_batch_size_like(x, [-1, 5], "float32", 2.0),
            creation.ones([2, 2], "int32"),
            creation.zeros_like(x),
            creation.range(0, 10, 4, "int32"),
            creation.linspace(0, 1, 5, "float64"),
            creation.eye(2, 3, batch_shape=[2]),
            creation.diag(np.array([1, 2], "int32")),
            creation.tril(creation.ones([2, 2], "float32")),
            tensor.assign(np.array([[True, False]])),
        ],
        x=X,
    )
    assert found[0].tolist() == [2**40 + 1] * 2  # more digits than a float32 has
    assert found[1].shape == (3, 5) and found[2].dtype == np.int32 and found[3].shape == (3, 2)
    assert found[4].tolist() == [0, 4, 8] and found[5].tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert found[6].shape == (2, 2, 3) and found[7].tolist() == [[1, 0], [0, 2]]
    assert found[8].tolist() == [[1, 0], [1, 1]] and found[9].tolist() == [[True, False]]


def test_random_numbers_keep_to_their_ranges_and_seeds():
    uniform, again, whole, order = both(
        lambda x: [
            random.uniform_random([50], min=2.0, max=3.0, seed=5),
            random.uniform_random([50], min=2.0, max=3.0, seed=5),
            random.randint(3, 6, shape=[50], seed=1),
            random.randperm(9, seed=2),
        ],
        x=X,
    )
    assert uniform.min() >= 2 and uniform.max() < 3 and np.array_equal(uniform, again)
    assert set(whole) == {3, 4, 5} and sorted(order) == list(range(9))


def test_a_shuffled_batch_keeps_its_rows():
    rows = np.arange(20, dtype="float32").reshape(10, 2)
    (x,) = declare(x=rows)
    (out,) = run([random.shuffle_batch(x)], x=rows)
    assert sorted(map(tuple, np.array(out))) == sorted(map(tuple, rows))


def test_created_parameters_are_named_as_in_fluid():
    names = [
        parameters.create_parameter([2, 3], "float32", name="w").name,
        parameters.create_parameter([2], "float32", is_bias=True).name,
        parameters.create_parameter([2], "float32", attr=ParamAttr(name="q"), default_initializer=Constant(3.0)).name,
        parameters.create_global_var([1], 1.5, "float32", persistable=True).name,
        parameters.create_tensor("float32").name,
    ]
    assert names == ["w", "create_parameter_0.b_0", "q", "_generated_var_0", "create_tensor_0"]
    block = default_main_program().global_block()
    assert block.var("_generated_var_0").stop_gradient and block.var("_generated_var_0").persistable
    assert {op.output("Out")[0] for op in default_startup_program().global_block().ops} == set(names[:4])


def test_assign_writes_to_a_created_tensor_in_both_modes():
    (out,) = both(lambda x: tensor.assign(x, output=parameters.create_tensor("float32")), x=X + 1)
    np.testing.assert_array_equal(out, X + 1)
    with imperative.guard():
        counter = parameters.create_global_var([2], 3, "int64")
        assert counter.numpy().tolist() == [3, 3] and counter.stop_gradient


def test_constants_are_named_as_in_fluid():
    size = creation.fill_constant([1], "int32", 2)
    creation.fill_constant([size, 3], "float32", 1.0)
    random.gaussian_random([size, 3])
    creation.triu(creation.ones([2, 2], "float32"), name="mine")
    assert operators() == [
        "fill_constant:  -> fill_constant_0.tmp_0",
        "fill_constant:  -> fill_constant_2.tmp_0",
        "fill_constant: fill_constant_0.tmp_0 fill_constant_2.tmp_0 -> fill_constant_1.tmp_0",
        "fill_constant:  -> fill_constant_3.tmp_0",
        "gaussian_random: fill_constant_0.tmp_0 fill_constant_3.tmp_0 -> gaussian_random_0.tmp_0",
        "fill_constant:  -> fill_constant_4.tmp_0",
        "tril_triu: fill_constant_4.tmp_0 -> mine",
    ]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (
            lambda: creation.fill_constant([2], "float32", "a"),
            ArgumentError,
            "value must be a number or a Variable, got 'a'",
        ),
        (
            lambda: creation.fill_constant(3, "float32", 1.0),
            ArgumentError,
            "fill_constant: shape must be a list, a tuple",
        ),
        (
            lambda: creation.fill_constant([2], "complex", 1.0),
            TypeError,
            "dtype must be one of bool, .*, got 'complex'",
        ),
        (lambda: creation.eye(-1), ArgumentError, "eye: num_rows must be 0 or more, got -1"),
        (
            lambda: creation.linspace(0, 1, 2, "int32"),
            TypeError,
            "linspace: dtype must be float32 or float64, got 'int32'",
        ),
        (lambda: random.randint(3, 3), ArgumentError, "randint: low must be smaller than high, got 3 and 3"),
        (
            lambda: parameters.create_parameter([2, -1], "float32"),
            ShapeError,
            "create_parameter: .* has a negative size",
        ),
    ],
)
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call()
