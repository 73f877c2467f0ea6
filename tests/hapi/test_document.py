"""The programs in the document about fit run as they stand."""

import re
from pathlib import Path

import pytest
from tests.hapi.digits import MODES, Digits, in_mode

from paddle.incubate.hapi import datasets

DOCUMENT = Path(__file__).parents[2] / "docs" / "fit.md"


DIGITS, CRITIC = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.S)


@pytest.mark.parametrize("imperative", [True, False])
def test_digits(tmp_path, monkeypatch, capsys, imperative):
    program = DIGITS
    if not imperative:
        program = program.replace("fluid.enable_dygraph()", "").replace("fluid.disable_dygraph()", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets, "MNIST", lambda mode: Digits(300, mode))  # fewer, for time
    world = {}
    exec(program, world)
    assert world["scores"].shape == (300, 10)
    assert "Epoch 2/2" in capsys.readouterr().out
    assert (tmp_path / "digits" / "final.pdparams").exists()


@pytest.mark.parametrize("mode", MODES)
def test_reviews(mode, capsys):
    with in_mode(mode):
        exec(CRITIC, {})
    assert capsys.readouterr().out.count("step 3 - loss: ") == 2
