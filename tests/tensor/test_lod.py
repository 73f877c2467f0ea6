import pickle

import pytest
import torch

from refluid.core.errors import ShapeError
from refluid.tensor.lod import LoD, check, is_valid

# Three articles of 3, 1 and 2 sentences with 15 words.
ARTICLES = LoD([[0, 3, 4, 6], [0, 3, 5, 9, 10, 12, 15]])


def test_lengths_and_offsets_are_two_ways_to_write_one_lod():
    lengths = [[3, 1, 2], [3, 2, 4, 1, 2, 3]]
    assert LoD.from_lengths(lengths) == ARTICLES
    assert ARTICLES.lengths() == lengths
    assert ARTICLES.offsets() == [[0, 3, 4, 6], [0, 3, 5, 9, 10, 12, 15]]
    assert hash(LoD.from_lengths(lengths)) == hash(ARTICLES)
    assert LoD([[0, 15]]) != ARTICLES and len(ARTICLES) == 2


def test_a_lod_knows_its_rows_sequences_and_spans():
    assert ARTICLES.rows == 15
    assert (ARTICLES.count(), ARTICLES.count(0)) == (6, 3)
    assert list(ARTICLES.spans(0)) == [(0, 3), (3, 4), (4, 6)]
    assert ARTICLES.down_to_rows(0) == (0, 9, 10, 15)
    assert ARTICLES.down_to_rows(-1) == ARTICLES.levels[-1]
    assert ARTICLES.outer() == LoD([[0, 3, 4, 6]])
    assert ARTICLES.outer().outer() is None


def test_tensors_of_a_level_are_int64_and_made_once():
    lod = LoD.from_lengths([[2, 0, 3]])
    assert lod.offsets_tensor().tolist() == [0, 2, 2, 5]
    assert lod.lengths_tensor().tolist() == [2, 0, 3]
    assert lod.segment_ids().tolist() == [0, 0, 2, 2, 2]
    assert {lod.offsets_tensor().dtype, lod.lengths_tensor().dtype, lod.segment_ids().dtype} == {torch.int64}
    assert lod.segment_ids() is lod.segment_ids(0)
    assert lod.segment_ids(device=torch.device("meta")).device.type == "meta"
    assert ARTICLES.segment_ids(0).tolist() == [0, 0, 0, 1, 2, 2]


def test_a_lod_without_sequences_has_empty_tensors():
    lod = LoD([[0]])
    assert lod.rows == 0 and lod.count() == 0
    assert lod.lengths_tensor().tolist() == [] and lod.segment_ids().tolist() == []


def test_a_pickled_lod_comes_back_equal():
    ARTICLES.segment_ids()
    assert pickle.loads(pickle.dumps(ARTICLES)) == ARTICLES


def test_a_lod_that_fits_passes_the_check():
    for lod, rows in ((ARTICLES, 15), (LoD([[0, 0, 3]]), 3), (LoD([[0, 3, 3]]), 3), (LoD([]), 7), (ARTICLES, None)):
        check(lod, rows)
        assert is_valid(lod, rows)


@pytest.mark.parametrize(
    "offsets, rows, says",
    [
        ([[1, 2, 6]], 6, "level 0 must start at offset 0, got 1"),
        ([[0, 4, 2, 6]], 6, "the offsets of level 0 must not descend, got 2 after 4"),
        ([[0, 2, 6], [0, 6]], 6, "level 0 ends at 6, but level 1 has 1 sequences"),
        ([[0, 2, 5]], 6, "the last level ends at 5, but the tensor has 6 rows"),
        ([[]], 6, "level 0 is empty; it must at least hold the offset 0"),
        ([[0, 2, 1]], None, "the offsets of level 0 must not descend, got 1 after 2"),
    ],
)
def test_a_lod_that_does_not_fit_is_refused_with_the_reason(offsets, rows, says):
    assert not is_valid(LoD(offsets), rows)
    with pytest.raises(ShapeError) as refused:
        check(LoD(offsets), rows)
    assert refused.value.summary.endswith(f": LoD {offsets}: {says}")
