"""run_check trains in both modes, and tells when the numbers are wrong."""

import pytest

from paddle import fluid
from paddle.fluid.install_check import run_check
from refluid.diagnostics import install_check


def test_both_modes_are_checked_and_programs_left_alone(capsys):
    before = len(fluid.default_main_program().global_block().ops)
    run_check()
    text = capsys.readouterr().out
    assert "the static mode works" in text and "the imperative mode works" in text
    assert text.endswith("Your Paddle Fluid is installed successfully!\n")
    assert len(fluid.default_main_program().global_block().ops) == before
    assert not fluid.dygraph.enabled()
    with fluid.dygraph.guard():
        run_check()
        assert fluid.dygraph.enabled()


def test_wrong_numbers_are_told(monkeypatch):
    right = install_check._static
    monkeypatch.setattr(install_check, "_static", lambda place: (right(place)[0] + 1, right(place)[1]))
    with pytest.raises(RuntimeError, match="run_check: the static mode computes wrongly on .*: loss 23.5"):
        run_check()
