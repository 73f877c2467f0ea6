"""Data out of range, empty lists and tensors, labels of the wrong kind: told with the slot and the value."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D, L = fluid.dygraph, fluid.layers


def var(*shape):
    return D.to_variable(np.full(shape, 0.25, "float32"))


def ints(values, dtype="int64"):
    return D.to_variable(np.array(values, dtype))


CASES = [
    (lambda: D.Embedding([5, 2])(ints([5])), "lookup_table_v2: Ids has 5, but W has rows 0 to 4"),
    (lambda: D.Embedding("e", [5, 2])(ints([[-1]])), "lookup_table: Ids has -1, but W has rows 0 to 4"),
    (lambda: L.cross_entropy(var(2, 4), ints([[4], [0]])), "Label holds 4 at row 0, but X has 4 classes"),
    (lambda: L.cross_entropy(var(2, 4), var(2, 1)), "Label must hold class numbers, int64 or int32, got float32"),
    (lambda: L.softmax_with_cross_entropy(var(2, 4), var(2, 1)), "Label must hold class numbers"),
    (
        lambda: L.cross_entropy(var(2, 4), ints([[1], [0], [1]])),
        "Label must have shape [2, 1] to match X of shape [2, 4]",
    ),
    (lambda: L.cross_entropy(var(2, 4), var(2, 3), soft_label=True), "cross_entropy: "),
    (lambda: L.one_hot(ints([[5]]), 5), "one_hot: X must be in [0, 4], got 5"),
    (lambda: L.one_hot(ints([[0]]), -3), "one_hot: "),
    (lambda: L.gather(var(2, 4), ints([9])), "gather: Index must be in [0, 1], got 9"),
    (lambda: L.gather_nd(var(2, 4), ints([[5, 0]])), "gather_nd: Index along axis 0 must be in [0, 1], got 5"),
    (lambda: L.scatter(var(2, 4), ints([9]), var(1, 4)), "scatter: Ids must be in [0, 1], got 9"),
    (lambda: L.topk(var(2, 4), 9), "top_k: "),
    (lambda: L.concat([]), "concat: input X is missing"),
    (lambda: L.stack([]), "stack: input X is missing"),
    (lambda: L.concat([var(2, 4), var(2, 4)], axis=2), "concat: "),
    (lambda: L.reduce_sum(var(2, 4), dim=5), "reduce_sum: "),
    (lambda: L.reduce_max(var(0, 4)), "reduce_max: X has no elements: its shape is [0, 4]"),
    (lambda: L.argmax(var(0, 4), 0), "arg_max: X has no elements: its shape is [0, 4]"),
    (
        lambda: L.mul(var(2, 4), var(4, 2), x_num_col_dims=3),
        "mul: X of rank 2 cannot be flattened to a matrix at axis 3",
    ),
    (lambda: L.range(0, var(3), 1, "float32"), "range: End must have one element, got [3]"),
    (lambda: L.lstm(var(2, 4), var(2, 4), var(2, 4), 3, 3, 1), "lstm: input must be [length, N, width], got [2, 4]"),
    (lambda: ints([3]) // ints([0]), "elementwise_floordiv: Y holds a zero"),
    (lambda: L.fill_constant([-1], "float32", 0.0), "fill_constant: "),
]


@pytest.mark.parametrize("call, says", CASES, ids=[says[:50] for _, says in CASES])
def test_the_value_is_told(call, says):
    with D.guard(), pytest.raises(EnforceNotMet) as caught:
        call()
    text = str(caught.value)
    assert says in text and "fit together" not in text, text
    if "  called  " in text or "\n" in text:
        assert "test_bad_values.py" in text


def test_a_program_with_float_labels_is_built_as_in_fluid_and_refused_when_it_runs():
    x, label = fluid.data("x", [None, 4]), fluid.data("label", [None, 1])
    loss = L.cross_entropy(L.softmax(x), label)
    feed = {"x": np.zeros((2, 4), "float32"), "label": np.zeros((2, 1), "float32")}
    with pytest.raises(EnforceNotMet, match="Label must hold class numbers, int64 or int32, got float32"):
        fluid.Executor().run(feed=feed, fetch_list=[loss])


def test_batch_norm_keeps_its_statistics_when_it_refuses():
    with D.guard():
        layer = D.BatchNorm(3)
        before = layer._mean.numpy(), layer._variance.numpy()
        for wrong in (var(0, 3, 2, 2), var(2, 4, 2, 2), var(2)):
            with pytest.raises(EnforceNotMet, match="batch_norm: X "):
                layer(wrong)
        assert np.array_equal(layer._mean.numpy(), before[0]) and np.array_equal(layer._variance.numpy(), before[1])


def test_nan_and_inf_pass_through_as_numbers():
    with D.guard():
        x = D.to_variable(np.array([[np.nan, 1.0], [np.inf, 2.0]], "float32"))
        assert np.isnan(L.relu(x).numpy()[0, 0]) and np.isinf(L.relu(x).numpy()[1, 0])
        assert bool(L.has_nan(x)) and bool(L.has_inf(x)) and not bool(L.isfinite(x))
