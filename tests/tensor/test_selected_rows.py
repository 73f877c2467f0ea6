import numpy as np
import pytest
import torch

from refluid.core.errors import ArgumentError, NotFoundError, ShapeError, ValueRangeError
from refluid.core.places import CPUPlace
from refluid.tensor.selected_rows import SelectedRows, add_all, merged, to_dense


def sparse(rows, height=5) -> SelectedRows:
    """Row i holds (i, i) each time it is listed."""
    index = torch.tensor(rows)
    return SelectedRows.of(index, index[:, None].expand(-1, 2).float(), height)


def test_programs_set_rows_height_and_values():
    s = SelectedRows([0, 4, 7], 10)
    assert (s.rows(), s.height(), s.numel()) == ([0, 4, 7], 10, 0)
    s.set_rows([1, 2])
    s.set_height(20)
    s.get_tensor().set(np.ones((2, 3), "float32"), CPUPlace())
    s.sync_index()
    assert (s.rows(), s.height(), s.numel()) == ([1, 2], 20, 6)
    assert s.value.shape == (2, 3) and s.index.dtype == torch.int64
    assert repr(s) == "SelectedRows(rows=[1, 2], height=20, value of shape [2, 3])"
    assert SelectedRows().rows() == []


def test_merging_adds_equal_rows_and_sorts_them():
    m = merged(sparse([3, 1, 3, 0]))
    assert m.rows() == [0, 1, 3] and m.height() == 5
    assert m.value.tolist() == [[0, 0], [1, 1], [6, 6]]
    assert merged(sparse([])).value.shape == (0, 2)


def test_dense_and_merged_dense_are_the_same():
    s = sparse([3, 1, 3])
    assert to_dense(s).tolist() == [[0, 0], [1, 1], [0, 0], [6, 6], [0, 0]]
    assert torch.equal(to_dense(s), to_dense(merged(s)))


def test_a_sum_lists_the_rows_of_all():
    parts = [sparse([1, 2]), sparse([2])]
    assert add_all(parts).rows() == [1, 2, 2]
    assert torch.equal(to_dense(add_all(parts)), to_dense(parts[0]) + to_dense(parts[1]))
    assert add_all(parts[:1]) is parts[0]
    with pytest.raises(ArgumentError, match="must have one height, got \\[5, 6\\]"):
        add_all([sparse([1]), sparse([1], height=6)])


def test_rows_that_do_not_fit_are_refused():
    with pytest.raises(ValueRangeError, match="SelectedRows of height 5 has row 9"):
        to_dense(sparse([1, 9]))
    with pytest.raises(ShapeError, match="has 1 rows, but values of shape \\[2, 3\\]"):
        to_dense(SelectedRows.of(torch.tensor([1]), torch.ones(2, 3), 5))
    with pytest.raises(NotFoundError, match="holds no values yet"):
        merged(SelectedRows([1], 5))
