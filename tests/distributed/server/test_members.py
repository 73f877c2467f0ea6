"""Who takes part at a server, by a clock that the test turns."""

import time

import pytest

from refluid.distributed.server.members import Members


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setenv("REFLUID_TRAINER_LEASE", "8")
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_the_last_trainer_that_fell_silent_is_waited_for_once_more(clock):
    members = Members(1, 60.0)
    members.add(0, 1, "session")
    clock[0] += 9
    assert members.silent() == [0]
    members.remove(0, died=True)
    clock[0] += 7
    assert not members.all_left()
    members.add(0, 2, "session")  # it was started again
    clock[0] += 9
    members.remove(0, died=True)
    clock[0] += 9
    assert members.all_left()


def test_a_server_is_done_when_the_last_trainer_leaves_by_a_word(clock):
    members = Members(2, 60.0)
    members.add(0, 1, "one")
    members.add(1, 1, "two")
    members.remove(0, died=True)
    members.remove(1, died=False)
    assert members.all_left()
