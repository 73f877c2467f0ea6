import numpy as np
import pytest
from tests.layers.modes import both, declare, operators

import paddle
from refluid.core.errors import ArgumentError
from refluid.eager import base as imperative

X = np.arange(24, dtype="float32").reshape(2, 3, 4)


def test_views_in_both_modes():
    made = both(
        lambda x: [
            paddle.reshape(x, [0, -1]),
            paddle.squeeze(paddle.unsqueeze(x, [0, 2]), 0),
            paddle.unsqueeze(x, axes=1),
            paddle.stack([x, x], axis=1),
            paddle.flatten(x, axis=2),
            paddle.expand(x, [1, 2, 1]),
            paddle.transpose(x, perm=[2, 0, 1]),
            paddle.roll(x, shifts=1, dims=0),
            paddle.reverse(x, axis=1),
        ],
        x=X,
    )
    assert [one.shape for one in made[:7]] == [
        (2, 12), (2, 1, 3, 4), (2, 1, 3, 4), (2, 2, 3, 4), (6, 4), (2, 6, 4), (4, 2, 3)
    ]  # fmt: skip
    np.testing.assert_array_equal(made[7], np.roll(X, 1, 0))
    np.testing.assert_array_equal(made[8], X[:, ::-1])


def test_flip_in_both_modes():
    rows, mirrored, both_axes = both(
        lambda x: [paddle.flip(x, [0]), paddle.flip(im=x), paddle.flip(input=x, dims=[1, 2])], x=X
    )
    np.testing.assert_array_equal(rows, X[::-1])
    np.testing.assert_array_equal(mirrored, X[:, :, ::-1])
    np.testing.assert_array_equal(both_axes, X[:, ::-1, ::-1])


def test_parts_in_both_modes():
    first, second, *rest = both(
        lambda x: [
            *paddle.split(x, [1, -1], dim=1),
            *paddle.unbind(x, axis=1),
            *paddle.unstack(x, axis=-1),
            paddle.slice(x, [1], [0], [2]),
            paddle.strided_slice(x, [2], [3], [0], [-2]),
        ],
        x=X,
    )
    np.testing.assert_array_equal(np.concatenate([first, second], 1), X)
    for i in range(3):
        np.testing.assert_array_equal(rest[i], X[:, i])
    for i in range(4):
        np.testing.assert_array_equal(rest[3 + i], X[:, :, i])
    np.testing.assert_array_equal(rest[7], X[:, 0:2])
    np.testing.assert_array_equal(rest[8], X[:, :, 3:0:-2])


def test_parts_put_together_in_both_modes():
    (out,) = both(lambda x: paddle.concat(input=paddle.split(x, 2, dim=-1), axis=-1), x=X)
    np.testing.assert_array_equal(out, X)


def test_elements_by_index_in_both_modes():
    rows = np.array([1, 0], "int64")
    gathered, by_place, chosen, written, added, whole = both(
        lambda x, i, p, u: [
            paddle.gather(x, i),
            paddle.gather_nd(x, p),
            paddle.index_select(x, i, dim=2),
            paddle.scatter(x, i, u, overwrite=True),
            paddle.scatter_nd_add(x, p, u[:, 0]),
            paddle.scatter_nd(p, u[:, 0], [2, 3, 4]),
        ],
        x=X, i=rows, p=np.array([[0, 1], [1, 2]], "int64"), u=-X,
    )  # fmt: skip
    np.testing.assert_array_equal(gathered, X[[1, 0]])
    np.testing.assert_array_equal(by_place, X[[0, 1], [1, 2]])
    np.testing.assert_array_equal(chosen, X[:, :, [1, 0]])
    np.testing.assert_array_equal(written, -X[[1, 0]])
    expected = np.zeros_like(X)
    expected[0, 1], expected[1, 2] = -X[0, 0], -X[1, 0]
    np.testing.assert_array_equal(whole, expected)
    np.testing.assert_array_equal(added, X + expected)


def test_sets_and_shapes_in_both_modes():
    words = np.array([2, 3, 3, 1, 2], "int64")
    values, places, same, again, counts, rank, shape, size = both(
        lambda x, w: [
            *paddle.unique(w),
            *paddle.unique_with_counts(w),
            paddle.rank(x),
            paddle.shape(x),
            paddle.cast(paddle.shape(x), "int64"),
        ],
        x=X, w=words,
    )  # fmt: skip
    assert values.tolist() == same.tolist() == [2, 3, 1]
    assert places.tolist() == again.tolist() == [0, 1, 1, 2, 0] and counts.tolist() == [2, 2, 1]
    assert np.ravel(rank).tolist() == [3] and shape.tolist() == [2, 3, 4] and size.dtype == np.int64


def test_choices_by_rows_in_both_modes():
    sampled, multiplexed, sharded, same_shape, cropped = both(
        lambda x, i, m, s: [
            paddle.index_sample(x, i),
            paddle.multiplex([x, -x], m),
            paddle.shard_index(s, 20, 2, 0),
            paddle.expand_as(x[:, 0:1], x),
            paddle.crop_tensor(x, shape=[1, 2], offsets=[1, 1]),
        ],
        x=X[0], i=np.array([[0, 3], [1, 1], [2, 0]], "int64"), m=np.array([[0], [1], [0]], "int32"),
        s=np.array([[1], [15]], "int64"),
    )  # fmt: skip
    np.testing.assert_array_equal(sampled, [[0, 3], [5, 5], [10, 8]])
    np.testing.assert_array_equal(multiplexed, X[0] * [[1], [-1], [1]])
    assert sharded.tolist() == [[1], [-1]]
    np.testing.assert_array_equal(same_shape, np.repeat(X[0][:, :1], 4, 1))
    np.testing.assert_array_equal(cropped, X[0][1:2, 1:3])


@pytest.mark.parametrize(
    "call",
    [
        lambda x, out: paddle.squeeze(x, [0], out=out),
        lambda x, out: paddle.unsqueeze(x, [0], out=out),
        lambda x, out: paddle.stack([x, x], out=out),
    ],
)
def test_out_takes_the_result_in_both_modes(call):
    def through_out(x):
        out = paddle.create_tensor("float32")
        assert call(x, out) is out
        return [out, call(x, None)]

    ours, theirs = both(through_out, x=X[:1])
    np.testing.assert_array_equal(ours, theirs)


def test_reshape_in_place_in_a_program_alone():
    (x,) = declare(x=X)
    assert paddle.reshape(x, [-1, 4], True) is x and x.shape == (-1, 4)
    with imperative.guard():
        x = imperative.to_variable(X)
        assert paddle.reshape(x, [6, 4], True).shape == [6, 4] and x.shape == list(X.shape)


def test_names():
    (x,) = declare(x=X)
    paddle.stack([x, x], name="mine")
    paddle.flip(x, [0])
    assert operators() == ["stack: x x -> mine.tmp_0", "flip: x -> flip_0.tmp_0"]


def test_wrong_arguments_are_named():
    (x,) = declare(x=X)
    with pytest.raises(ArgumentError, match="unbind: the size of axis 0 of x is not known"):
        paddle.unbind(x)
    with pytest.raises(ArgumentError, match=r"unbind: axis must be an int in \[-3, 2\], got 3"):
        paddle.unbind(x, 3)
    with pytest.raises(ArgumentError, match="flip: input must be a Variable, got ndarray"):
        paddle.flip(X)
