"""distributed_batch_reader: shares are disjoint, in turn and of equal length."""

import pytest

from refluid.data.readers.distributed import distributed_batch_reader


def share(monkeypatch, number, count, batches):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", str(count))
    monkeypatch.setenv("PADDLE_TRAINER_ID", str(number))
    return list(distributed_batch_reader(lambda: iter(range(batches)))())


def test_one_process_reads_everything(monkeypatch):
    monkeypatch.delenv("PADDLE_TRAINERS_NUM", raising=False)
    monkeypatch.delenv("PADDLE_TRAINER_ID", raising=False)
    assert list(distributed_batch_reader(lambda: iter(range(3)))()) == [0, 1, 2]


def test_shares(monkeypatch):
    assert [share(monkeypatch, i, 3, 9) for i in range(3)] == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]


def test_a_last_round_that_is_not_whole_is_left_out(monkeypatch):
    assert [share(monkeypatch, i, 3, 11) for i in range(3)] == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]


def test_a_number_out_of_range_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="PADDLE_TRAINER_ID must be below PADDLE_TRAINERS_NUM=2, got 2"):
        share(monkeypatch, 2, 2, 4)
