"""The program in the document about fit runs as it stands."""

import re
from pathlib import Path

import pytest
from tests.hapi.digits import Digits

from paddle.incubate.hapi import datasets

DOCUMENT = Path(__file__).parents[2] / "docs" / "fit.md"


@pytest.mark.parametrize("imperative", [True, False])
def test_the_program_of_the_document(tmp_path, monkeypatch, capsys, imperative):
    (program,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.S)
    if not imperative:
        program = program.replace("fluid.enable_dygraph()", "").replace("fluid.disable_dygraph()", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets, "MNIST", lambda mode: Digits(300, mode))  # fewer, for time
    world = {}
    exec(program, world)
    assert world["scores"].shape == (300, 10)
    assert "Epoch 2/2" in capsys.readouterr().out
    assert (tmp_path / "digits" / "final.pdparams").exists()
