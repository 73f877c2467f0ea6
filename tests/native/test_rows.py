"""Rows are added to tables as index_add_ adds them, bit by bit."""

import pytest
import torch

from refluid.native import call as native
from refluid.native.rows import add_rows, add_rows_to_all

pytestmark = pytest.mark.skipif(not native.available(), reason="no C++ compiler")


def table(seed, dtype=torch.float32, height=50, width=7):
    return torch.randn(height, width, dtype=dtype, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("scale", [1.0, -0.1])
def test_rows_that_come_several_times_are_added_in_order(dtype, scale):
    total, value = table(0, dtype), table(1, dtype, 200)
    index = torch.randint(0, 50, (200,), generator=torch.Generator().manual_seed(2))
    expected = total.clone().index_add_(0, index, value * scale)
    assert torch.equal(add_rows(total, index, value, scale), expected)


def test_several_tables_of_two_dtypes_and_values_in_columns_of_another():
    wide = table(3, height=9, width=20)
    index = torch.tensor([4, 4, 0, 49, 3, 2, 1, 4, 4])
    totals = [table(4), table(5, torch.float64), table(6)]
    values = [wide[:, 2:9], wide[:, :7].double(), wide.t().contiguous().t()[:, 3:10]]
    expected = [t.clone().index_add_(0, index, v * s) for t, v, s in zip(totals, values, (0.5, 0.25, 2.0))]
    versions = [one._version for one in totals]
    add_rows_to_all(totals, [index] * 3, values, [0.5, 0.25, 2.0])
    assert all(torch.equal(one, other) for one, other in zip(totals, expected))
    assert all(one._version > before for one, before in zip(totals, versions))


@pytest.mark.parametrize("row", [-1, 50])
def test_a_row_outside_changes_nothing_and_is_told(row):
    total = table(7)
    before = total.clone()
    with pytest.raises((IndexError, RuntimeError)):
        add_rows(total, torch.tensor([1, row]), table(8, height=2), 1.0)
    assert torch.equal(total[2:], before[2:])


def test_no_rows_at_all():
    total = table(9)
    before = total.clone()
    assert torch.equal(add_rows(total, torch.empty(0, dtype=torch.int64), torch.empty(0, 7), 1.0), before)
