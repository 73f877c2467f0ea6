import numpy as np
import pytest
from tests.layers.modes import both, declare, operators

from refluid.core.errors import ArgumentError
from refluid.eager import base as imperative
from refluid.layers import compare, creation, elementwise, math, parameters, reduce

RNG = np.random.RandomState(0)
X, Y = RNG.rand(2, 3, 4).astype("float32"), RNG.rand(2, 3, 4).astype("float32")


def test_products_and_sums_in_both_modes():
    product, scaled, total, running = both(
        lambda x, y: [
            math.matmul(x, y, transpose_y=True, alpha=2.0),
            math.scale(x, 2.0, 1.0, bias_after_scale=False, act="tanh"),
            math.sum([x, y, x]),
            math.cumsum(x, axis=1, reverse=True),
        ],
        x=X, y=Y,
    )  # fmt: skip
    np.testing.assert_allclose(product, 2 * X @ Y.transpose(0, 2, 1), rtol=1e-5)
    np.testing.assert_allclose(scaled, np.tanh(2 * (X + 1)), rtol=1e-5)
    np.testing.assert_allclose(total, X + Y + X, rtol=1e-6)
    np.testing.assert_allclose(running, X[:, ::-1].cumsum(1)[:, ::-1], rtol=1e-5)


def test_elementwise_takes_an_axis_and_an_activation():
    middle = X[0, :, 0].copy()
    added, named = both(
        lambda x, y: [elementwise.elementwise_sub(x, y, axis=1, act="relu"), elementwise.elementwise_max(x, x)],
        x=X, y=middle,
    )  # fmt: skip
    np.testing.assert_allclose(added, np.maximum(X - middle[:, None], 0), rtol=1e-5)
    np.testing.assert_array_equal(named, X)


def test_reductions_without_axes_have_shape_one():
    whole, mean, kept, largest = both(
        lambda x: [
            reduce.reduce_sum(x),
            reduce.mean(x),
            reduce.reduce_mean(x, dim=[0, -1], keep_dim=True),
            reduce.reduce_max(x, dim=1),
        ],
        x=X,
    )
    assert whole.shape == mean.shape == (1,) and kept.shape == (1, 3, 1)
    np.testing.assert_allclose(whole, [X.sum()], rtol=1e-5)
    np.testing.assert_array_equal(largest, X.max(1))


def test_comparisons_and_logic():
    less, none, finite = both(
        lambda x, y: [
            compare.logical_and(compare.less_than(x, y), compare.logical_not(compare.equal(x, y))),
            compare.has_nan(x),
            compare.isfinite(x),
        ],
        x=X, y=Y,
    )  # fmt: skip
    np.testing.assert_array_equal(less, X < Y)
    assert not none[0] and finite[0]


def test_names_and_stopped_gradients_are_those_of_fluid():
    x, y = declare(x=X, y=Y)
    out = elementwise.elementwise_add(x, y, act="relu", name="mine")
    flag = compare.less_than(x, y)
    given = compare.less_than(x, y, cond=parameters.create_tensor("bool"))
    reduce.reduce_sum(out, dim=[])
    assert operators() == [
        "elementwise_add: x y -> mine.tmp_0",
        "relu: mine.tmp_0 -> mine.tmp_1",
        "less_than: x y -> less_than_0.tmp_0",
        "less_than: x y -> create_tensor_0",
        "reduce_sum: mine.tmp_1 -> reduce_sum_0.tmp_0",
    ]
    assert flag.stop_gradient and not given.stop_gradient and not out.stop_gradient


def test_increment_changes_the_variable_itself_in_both_modes():
    (counted,) = both(lambda x: math.increment(math.increment(reduce.mean(x)), value=3.0), x=np.ones(1, "float32"))
    assert counted.tolist() == [5.0]
    with imperative.guard():
        x = creation.fill_constant([1], "int64", 7)
        math.increment(x)
        assert math.increment(x, in_place=False).numpy().tolist() == [9] and x.numpy().tolist() == [8]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x: reduce.reduce_sum(x, dim=1.5), ArgumentError, "reduce_sum: dim must be a list of ints, got"),
        (lambda x: reduce.reduce_sum(x, dim=3), ArgumentError, r"reduce_sum: dim must be axes in \[-3, 2\]"),
        (lambda x: elementwise.elementwise_add(x, 3), ArgumentError, "elementwise_add: Y must be a Variable, got int"),
        (lambda x: elementwise.elementwise_add(x, x, act="rel"), ArgumentError, "unknown activation 'rel'"),
        (lambda x: math.clamp(x), ArgumentError, "clamp: min or max must be given"),
    ],
)
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call(*declare(x=X))
