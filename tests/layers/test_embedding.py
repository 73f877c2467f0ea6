import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, ragged, weights

from refluid.core.errors import ArgumentError, ShapeError
from refluid.layers.embedding import add_position_encoding, embedding, fluid_embedding

IDS = np.array([[1], [3], [0]], "int64")


def test_both_functions_look_up_the_same_rows_with_their_own_shapes():
    column, plain = both(
        lambda ids: [embedding(ids, [5, 4], param_attr=weights()), fluid_embedding(ids, [5, 4], param_attr=weights())],
        ids=IDS,
    )
    assert column.shape == (3, 4) and plain.shape == (3, 1, 4)
    np.testing.assert_array_equal(column, plain[:, 0])


def test_padding_is_zero_and_counts_from_the_end_if_negative():
    (out,) = both(lambda ids: embedding(ids, [5, 4], padding_idx=-2, param_attr=weights()), ids=IDS)
    assert not out[1].any() and out[0].all()


def test_the_lod_of_the_ids_stays():
    (out,) = both(
        lambda ids: embedding(ids, [5, 4], param_attr=weights()), ids=ragged([[1], [3], [0]], [2, 1], "int64")
    )
    assert out.shape == (3, 4)
    assert embedding(*declare(ids=ragged([[1], [3], [0]], [2, 1], "int64")), [5, 4]).lod_level == 1


def test_names_are_fluids():
    (ids,) = declare(ids=IDS)
    embedding(ids, [5, 4], is_sparse=True)
    fluid_embedding(ids, [5, 4])
    assert operators() == [
        "lookup_table: embedding_0.w_0 ids -> embedding_0.tmp_0",
        "lookup_table_v2: embedding_1.w_0 ids -> embedding_1.tmp_0",
    ]


def test_positions_are_told_by_sines_and_cosines():
    (out,) = both(lambda x: add_position_encoding(x, 0.0, 2.0), x=np.ones((1, 3, 4), "float32"))
    np.testing.assert_allclose(out[0, :, 0], 2 * np.sin(np.arange(3)), rtol=1e-5, atol=1e-6)


def test_padding_that_is_no_row_of_the_table_is_zero_and_warns():
    with pytest.warns(UserWarning, match=r"padding_idx lies in \[-5, 5\), got 7"):
        (found,) = both(
            lambda ids: [embedding(ids, [5, 4], padding_idx=7, param_attr=weights())], ids=np.array([[1], [7]], "int64")
        )
    assert found[0].any() and not found[1].any()


def test_refusals():
    (ids,) = declare(ids=IDS)
    with pytest.raises(ArgumentError, match=r"embedding: size must be \[rows, width\], got \[5\]"):
        embedding(ids, [5])
    with pytest.raises(ShapeError, match="lookup_table: Ids must"):
        embedding(*declare(wide=np.zeros((3, 2), "int64")), [5, 4])
