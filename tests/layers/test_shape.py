import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, run

from refluid.core.errors import ArgumentError, ShapeError
from refluid.eager import base as imperative
from refluid.layers import creation, indexing, shape, tensor

X = np.arange(24, dtype="float32").reshape(2, 3, 4)
ROWS = np.array([[2], [0]], "int64")


def test_views_in_both_modes():
    shapes = both(
        lambda x: [
            shape.reshape(x, [0, -1], act="relu"),
            shape.transpose(x, [2, 0, 1]),
            shape.squeeze(shape.unsqueeze(x, [0, 2]), [0]),
            shape.flatten(x, axis=2),
            shape.expand(x, [1, 2, 1]),
            shape.stack([x, x], axis=1),
            shape.reverse(x, axis=[2]),
        ],
        x=X,
    )
    assert [s.shape for s in shapes] == [(2, 12), (4, 2, 3), (2, 1, 3, 4), (6, 4), (2, 6, 4), (2, 2, 3, 4), (2, 3, 4)]
    np.testing.assert_array_equal(shapes[1], X.transpose(2, 0, 1))
    np.testing.assert_array_equal(shapes[-1], X[:, :, ::-1])


def test_concat_undoes_split_in_both_modes():
    (out,) = both(lambda x: shape.concat(shape.split(x, [1, -1, 1], dim=-1), axis=-1), x=X)
    np.testing.assert_array_equal(out, X)


def test_sizes_may_be_variables_of_the_program():
    (x,) = declare(x=X)
    rows = creation.fill_constant([1], "int32", 4)
    made = [
        shape.reshape(x, [rows, -1]),
        shape.expand(x, [1, rows, 1]),
        indexing.slice(x, axes=[1, 2], starts=[0, 1], ends=[rows, 2]),
        creation.fill_constant([rows, 2], "float32", 1.5),
    ]
    assert [var.shape for var in made] == [(-1, -1), (-1, -1, 4), (-1, -1, 1), (-1, 2)]
    assert [np.array(value).shape for value in run(made, x=X)] == [(4, 6), (2, 12, 4), (2, 3, 1), (4, 2)]
    with imperative.guard():
        rows = imperative.to_variable(np.array([4]))
        assert shape.reshape(imperative.to_variable(X), [rows, -1]).shape == [4, 6]


def test_constants_beside_variables_are_named_as_in_fluid():
    (x,) = declare(x=X)
    rows = creation.fill_constant([1], "int32", 2)
    shape.reshape(x, [rows, -1, 12])
    assert operators() == [
        "fill_constant:  -> fill_constant_0.tmp_0",
        "fill_constant:  -> reshape2_0.tmp_0",
        "fill_constant:  -> reshape2_0.tmp_1",
        "reshape2: x fill_constant_0.tmp_0 reshape2_0.tmp_0 reshape2_0.tmp_1 -> reshape2_0.tmp_2 reshape2_0.tmp_3",
    ]


def test_rows_are_gathered_and_scattered_in_both_modes():
    gathered, scattered, coordinates = both(
        lambda x, rows: [
            indexing.gather(shape.flatten(x, axis=2), rows),
            indexing.scatter_nd(rows, shape.reshape(indexing.slice(x, [1, 2], [0, 0], [1, 1]), [-1]), [5]),
            indexing.where(tensor.cast(rows, "bool")),
        ],
        x=X, rows=ROWS,
    )  # fmt: skip
    np.testing.assert_array_equal(gathered, X.reshape(6, 4)[[2, 0]])
    assert scattered.tolist() == [12.0, 0.0, 0.0, 0.0, 0.0]
    assert coordinates.tolist() == [[0, 0]]


def test_order_and_classes_in_both_modes():
    values, places, best, codes, last = both(
        lambda x, rows: [
            *tensor.topk(x, k=2),
            tensor.argmax(x, axis=1),
            tensor.one_hot(rows, depth=3),
            indexing.strided_slice(x, axes=[2], starts=[3], ends=[0], strides=[-2]),
        ],
        x=X, rows=ROWS,
    )  # fmt: skip
    np.testing.assert_array_equal(values, X[..., [3, 2]])
    assert places.dtype == np.int64 and places[0, 0].tolist() == [3, 2] and best.tolist() == [[2] * 4] * 2
    assert codes.tolist() == [[0, 0, 1], [1, 0, 0]]
    np.testing.assert_array_equal(last, X[..., [3, 1]])


def test_reshape_in_place_gives_the_variable_itself_another_shape_in_a_program_alone():
    (x,) = declare(x=X)
    assert shape.reshape(x, [-1, 12], inplace=True) is x and x.shape == (-1, 12)
    with imperative.guard():
        x = imperative.to_variable(X)
        x.stop_gradient = False
        out = shape.reshape(x, [4, 6], inplace=True)
        (out * out).backward()
        assert out.shape == [4, 6] and np.array_equal(x.gradient(), 2 * X)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (
            lambda x: shape.reshape(x, "2,12"),
            ArgumentError,
            "reshape: shape must be a list, a tuple or a Variable, got str",
        ),
        (lambda x: shape.reshape(x, [2.5, 3]), ArgumentError, r"reshape: shape must be a list of ints, got \[2.5, 3\]"),
        (lambda x: shape.reshape(x, []), ArgumentError, "reshape: shape must not be empty"),
        (lambda x: shape.split(x, 2, dim=3), ArgumentError, r"split: dim must be an int in \[-3, 2\], got 3"),
        (
            lambda x: shape.split(x, 0),
            ArgumentError,
            "split: num_or_sections, if not a list, must be a positive int, got 0",
        ),
        (lambda x: shape.unstack(x), ArgumentError, "unstack: the size of axis 0 of x is not known; say num="),
        (lambda x: shape.flatten(x, 4), ShapeError, r"flatten: axis must be in \[0, 3\], got 4"),
        (lambda x: indexing.slice(x, [0, 1], [0], [1]), ArgumentError, "slice: 2 axes, but 1 starts"),
        (lambda x: indexing.multiplex([x], x), ArgumentError, "multiplex: inputs must be two variables or more, got 1"),
        (lambda x: tensor.shard_index(x, 20, 2, 2), ArgumentError, r"shard_index: shard_id must be in \[0, 2\), got 2"),
        (lambda x: tensor.assign([1, 2]), ArgumentError, "assign: input must be a Variable or a numpy array, got list"),
        (lambda x: tensor.cast(x, "flaot"), TypeError, "dtype must be one of bool, .*, got 'flaot'"),
    ],
)
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call(*declare(x=X))
