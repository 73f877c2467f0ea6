import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, ragged, run, weights

from refluid.core.errors import ArgumentError, ShapeError
from refluid.layers import sequence
from refluid.layers.tensor import assign

ROWS = np.arange(12, dtype="float32").reshape(6, 2)
WORDS = ragged(ROWS, [2, 1, 3])
PARTS = [ROWS[:2], ROWS[2:3], ROWS[3:]]


def test_every_way_of_pooling_in_both_modes():
    kinds = {
        "sum": lambda s: s.sum(0), "average": lambda s: s.mean(0), "sqrt": lambda s: s.sum(0) / np.sqrt(len(s)),
        "max": lambda s: s.max(0), "first": lambda s: s[0], "last": lambda s: s[-1],
    }  # fmt: skip
    found = both(lambda x: [sequence.sequence_pool(x, kind) for kind in kinds], x=WORDS)
    for out, expected in zip(found, kinds.values(), strict=True):
        np.testing.assert_allclose(out, [expected(part) for part in PARTS], rtol=1e-6)
    first, last = both(lambda x: [sequence.sequence_first_step(x), sequence.sequence_last_step(x)], x=WORDS)
    np.testing.assert_array_equal(first, ROWS[[0, 2, 3]])
    np.testing.assert_array_equal(last, ROWS[[1, 2, 5]])


def test_an_empty_sequence_gets_the_pad_value():
    (out,) = both(lambda x: sequence.sequence_pool(x, "max", pad_value=7.0), x=ragged(ROWS, [6, 0]))
    np.testing.assert_array_equal(out, [[10, 11], [7, 7]])


def test_a_convolution_sees_no_step_of_another_sequence():
    whole, alone = (
        both(lambda x: sequence.sequence_conv(x, 3, 3, param_attr=weights(), act="tanh"), x=x)[0]
        for x in (WORDS, ragged(ROWS[3:], [3]))
    )
    np.testing.assert_allclose(whole[3:], alone, rtol=1e-5)


def test_operators_and_levels_are_fluids():
    (x,) = declare(x=WORDS)
    pooled = sequence.sequence_pool(sequence.sequence_conv(x, 3, name="conv"), "sum")
    assert operators() == [
        "sequence_conv: x conv.w_0 -> conv.tmp_0",
        "elementwise_add: conv.tmp_0 conv.b_0 -> conv.tmp_1",
        "sequence_pool: conv.tmp_1 -> sequence_pool_0.tmp_0 sequence_pool_0.tmp_1",
    ]
    assert pooled.lod_level == 0 and sequence.lod_append(x, [0, 1, 2, 3]).lod_level == 2


def test_softmax_reverse_and_reshape_stay_within_a_sequence():
    column = ragged(ROWS[:, :1], [2, 1, 3])
    weight, back, wide = both(
        lambda x, y: [sequence.sequence_softmax(x), sequence.sequence_reverse(y), sequence.sequence_reshape(y, 1)],
        x=column, y=WORDS,
    )  # fmt: skip
    np.testing.assert_allclose([weight[:2].sum(), weight[2].sum(), weight[3:].sum()], 1, rtol=1e-6)
    np.testing.assert_array_equal(back, ROWS[[1, 0, 2, 5, 4, 3]])
    assert wide.shape == (12, 1)


def test_expanding_repeats_rows_for_every_step_of_another():
    dense = np.array([[1.0], [2.0], [3.0]], "float32")
    one, other = both(
        lambda x, y: [sequence.sequence_expand(x, y), sequence.sequence_expand_as(x, y)], x=dense, y=WORDS
    )
    assert one.ravel().tolist() == other.ravel().tolist() == [1, 1, 2, 3, 3, 3]


def test_padding_and_unpadding_undo_each_other():
    def build(x):
        padded, length = sequence.sequence_pad(x, assign(np.array([9.0], "float32")))
        return [padded, length, sequence.sequence_unpad(padded, length)]

    padded, length, again = both(build, x=WORDS)
    assert padded.shape == (3, 3, 2) and (padded[1, 1:] == 9).all() and length.tolist() == [2, 1, 3]
    np.testing.assert_array_equal(again, ROWS)


def test_joining_slicing_and_windows():
    joined, windows, mask = both(
        lambda x, ids, length: [
            sequence.sequence_concat([x, x]),
            sequence.sequence_enumerate(ids, win_size=2, pad_value=9),
            sequence.sequence_mask(length, maxlen=4, dtype="float32"),
        ],
        x=WORDS, ids=ragged([[1], [2], [3]], [2, 1], "int64"), length=np.array([1, 3], "int64"),
    )  # fmt: skip
    np.testing.assert_array_equal(joined, ROWS[[0, 1, 0, 1, 2, 2, 3, 4, 5, 3, 4, 5]])
    assert windows.tolist() == [[1, 2], [2, 9], [3, 9]]
    assert mask.tolist() == [[1, 0, 0, 0], [1, 1, 1, 0]]
    (part,) = both(
        lambda x, start, size: sequence.sequence_slice(x, start, size),
        x=WORDS, start=np.array([[0], [0], [1]], "int64"), size=np.array([[1], [1], [2]], "int64"),
    )  # fmt: skip
    np.testing.assert_array_equal(part, ROWS[[0, 2, 4, 5]])


def test_updates_go_to_the_columns_that_sequences_name():
    dense = np.zeros((2, 4), "float32")
    (out,) = both(
        sequence.sequence_scatter,
        x=dense, ids=ragged([[0], [2], [3]], [2, 1], "int64"), updates=ragged([[1.0], [2.0], [5.0]], [2, 1]),
    )  # fmt: skip
    assert out.tolist() == [[1, 0, 2, 0], [0, 0, 0, 5]]


def test_lod_can_be_set_taken_and_appended():
    (x,) = declare(x=ROWS)
    (y,) = declare(y=WORDS)
    outs = [
        sequence.lod_reset(x, target_lod=[0, 4, 6]),
        sequence.lod_reset(x, y),
        sequence.lod_append(y, [0, 1, 2, 3, 4, 5, 6]),
    ]
    found = [value.lod() for value in run(outs, x=ROWS, y=WORDS)]
    assert found == [[[0, 4, 6]], [[0, 2, 3, 6]], [[0, 2, 3, 6], [0, 1, 2, 3, 4, 5, 6]]]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (
            lambda x: sequence.sequence_pool(x, "mean"),
            ArgumentError,
            "sequence_pool: pool_type must be one of 'average',",
        ),
        (
            lambda x: sequence.sequence_conv(x, 2, filter_stride=2),
            ArgumentError,
            "sequence_conv: filter_stride must be 1",
        ),
        (lambda x: sequence.lod_reset(x), ArgumentError, "lod_reset: y or target_lod must be given"),
        (
            lambda x: sequence.lod_append(x, 3),
            ArgumentError,
            "lod_append: level must be a list of offsets or a variable",
        ),
    ],
)
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call(*declare(x=WORDS))


def test_a_dense_tensor_is_refused_when_it_arrives():
    (x,) = declare(x=WORDS)
    with pytest.raises(ShapeError, match="sequence_pool: X must be a LoDTensor"):
        run([sequence.sequence_pool(x, "sum")], x=ROWS)
