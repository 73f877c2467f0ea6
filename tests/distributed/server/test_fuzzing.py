"""Messages that are wrong, at a running server: `python -m tests.distributed.server.fuzzing` sends any number."""

from __future__ import annotations

import pytest

from tests.distributed.server import fuzzing


def test_wrong_messages_are_refused_and_training_goes_on(capfd: pytest.CaptureFixture) -> None:
    told = fuzzing.run(1500, seed=1)
    log = capfd.readouterr().err
    assert "failed:" not in log, log
    assert "'wire'" in told
    assert log.count("\n") < 400  # one line for a kind of refusal
