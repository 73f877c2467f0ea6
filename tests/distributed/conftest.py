"""Tests of several processes, and of servers and trainers in threads, pass on a machine that is busy otherwise."""

import pytest

from tests.distributed.ranks import PATIENT


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is declared dead because it is slow; tests of those that are gone set leases of their own."""
    for name, value in PATIENT.items():
        monkeypatch.setenv(name, value)
