"""python -m refluid inspect: a saved model told in words."""

import pytest
from tests.models.oracle import ROOT

from refluid.__main__ import main

FOLDER = ROOT / "tests" / "fixtures" / "models"


def test_a_model_is_described(capsys):
    assert main(["inspect", str(FOLDER / "sentiment" / "combined")]) == 0
    text = capsys.readouterr().out
    for line in (
        "inputs       words  int64 [-1, 1], LoD of 1 level",
        "outputs      save_infer_model/scale_0.tmp_0  float32 [-1, 2]",
        "parameters   8: 422 numbers, 1.69 KB",
        "  embedding_0.w_0      float32 [30, 6]  720 bytes",
        "unsupported  nothing",
    ):
        assert line in text.splitlines()
    assert "lookup_table, mul x2, scale, sequence_conv x2" in text


def test_operators_that_do_not_exist_are_named(tmp_path, capsys):
    data = (FOLDER / "linear" / "combined" / "model").read_bytes()
    (tmp_path / "__model__").write_bytes(data.replace(b"elementwise_add", b"elementwise_zzz"))
    assert main(["inspect", str(tmp_path)]) == 2
    assert capsys.readouterr().out.splitlines()[-1] == "unsupported  elementwise_zzz"


@pytest.mark.parametrize("arguments", [["inspect", "nowhere"], ["inspect", str(FOLDER), "--model", "none"]])
def test_what_is_not_there_is_an_error_in_one_line(arguments, capsys):
    assert main(arguments) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
