import numpy as np
import pytest

from refluid.core.errors import ArgumentError, DtypeError, ShapeError
from refluid.core.places import CPUPlace
from refluid.tensor.create import create_lod_tensor, create_random_int_lodtensor

CPU = CPUPlace()


def test_listed_sequences_become_rows_with_a_last_axis_of_one():
    t = create_lod_tensor([[1, 2, 3], [4, 5]], [[3, 2]], CPU)
    assert np.array(t).tolist() == [[1], [2], [3], [4], [5]] and np.array(t).dtype == np.int64
    assert t.recursive_sequence_lengths() == [[3, 2]]
    assert create_lod_tensor([[[1, 2], [3, 4]], [[5, 6]]], [[2, 1]], CPU).shape() == [3, 2, 1]
    assert create_lod_tensor([np.array([1.0, 2]), np.array([3.0])], [[2, 1]], CPU).shape() == [3, 1]


def test_arrays_and_lod_tensors_are_taken_as_they_are():
    first = create_lod_tensor(np.ones((5, 2), "float32"), [[3, 2]], CPU)
    again = create_lod_tensor(first, [[2, 0], [1, 4]], CPU)
    again.t[0] = 7
    assert first.lod() == [[0, 3, 5]] and np.array(first).max() == 1
    assert again.lod() == [[0, 2, 2], [0, 1, 5]] and again.shape() == [5, 2]


def test_data_and_lengths_that_disagree_are_refused():
    with pytest.raises(ShapeError, match="have the lengths \\[\\[3, 2\\]\\], recursive_seq_lens says \\[\\[3, 3\\]\\]"):
        create_lod_tensor([[1, 2, 3], [4, 5]], [[3, 3]], CPU)
    with pytest.raises(ShapeError, match="ends at 6, but the tensor has 5 rows"):
        create_lod_tensor(np.ones((5, 2)), [[3, 3]], CPU)
    with pytest.raises(ShapeError, match="a list must hold sequences, got \\[1, 2, 3\\]"):
        create_lod_tensor([1, 2, 3], [[2, 1]], CPU)
    with pytest.raises(DtypeError, match="must be a LoDTensor, a numpy array or a list, got str"):
        create_lod_tensor("abc", [[3]], CPU)


def test_random_integers_include_both_ends_and_follow_the_seed_of_numpy():
    np.random.seed(3)
    t = create_random_int_lodtensor([[1, 1], [100, 200]], [2], CPU, 0, 2)
    assert t.shape() == [300, 2] and t.lod() == [[0, 1, 2], [0, 100, 300]]
    assert sorted(set(np.array(t).ravel().tolist())) == [0, 1, 2] and np.array(t).dtype == np.int64
    np.random.seed(3)
    assert np.array_equal(np.array(create_random_int_lodtensor([[300]], [2], CPU, 0, 2)), np.array(t))
    with pytest.raises(ArgumentError, match="base_shape must be a list, got 3"):
        create_random_int_lodtensor([[2, 3]], 3, CPU, 0, 5)
