"""python -m refluid export --to cpp: where the package goes, what is written instead, and what is refused."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
import torch
from tests.export.models import FOLDER

from refluid.__main__ import main
from refluid.core.errors import ArgumentError
from refluid.export.command import export
from refluid.export.to_cpp import operators as operators
from refluid.export.to_torch import helpers


@pytest.fixture
def linear(tmp_path) -> Path:
    shutil.copytree(FOLDER / "linear" / "combined", tmp_path / "linear")
    return tmp_path / "linear"


def description(path: Path) -> list[list[str]]:
    with zipfile.ZipFile(path) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith("/extra/refluid.txt"))
        return [line.split("\t") for line in archive.read(name).decode().splitlines()]


def test_the_package_stands_beside_the_program_and_names_inputs_and_outputs(linear, capsys):
    before = sorted(path.name for path in linear.iterdir())
    assert main(["export", str(linear), "--to", "cpp", "--torchscript"]) == 0
    assert capsys.readouterr().out == f"wrote {linear / 'model.pt2'}\n"
    assert sorted(path.name for path in linear.iterdir()) == sorted([*before, "model.pt2"])
    fields = description(linear / "model.pt2")
    assert [line for line in fields if line[0] == "kind"] == [["kind", "torchscript"]]
    (taken,) = (line for line in fields if line[0] == "input")
    assert taken == ["input", "x", "float32", "0", "-1,4"]


def test_without_a_compiler_torchscript_is_written_and_a_line_says_so(linear, monkeypatch, capsys):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert main(["export", str(linear), "--to", "cpp"]) == 0
    assert capsys.readouterr().err == (
        "export: AOTInductor needs a C++ compiler, and no-such-compiler is not here; "
        "TorchScript is written instead, which runs slower\n"
    )
    assert ["kind", "torchscript"] in description(linear / "model.pt2")


def test_a_loop_that_depends_on_data_becomes_torchscript(tmp_path, capsys):
    assert main(["export", str(FOLDER / "looping" / "combined"), "--to", "cpp", "-o", str(tmp_path / "net.pt2")]) == 0
    assert "torch.export cannot follow this model" in capsys.readouterr().err
    assert ["kind", "torchscript"] in description(tmp_path / "net.pt2")


def test_a_model_that_no_road_takes_is_refused_and_older_files_stay(linear, monkeypatch, capsys):
    def refuse(_):
        raise RuntimeError("\nno such thing:\n  here")

    (linear / "model.pt2").write_text("old")
    monkeypatch.setattr(torch.jit, "script", refuse)
    assert main(["export", str(linear), "--to", "cpp", "--torchscript"]) == 1
    assert "cannot be exported to C++: TorchScript refuses it (RuntimeError: no such thing)" in capsys.readouterr().err
    assert (linear / "model.pt2").read_text() == "old"
    assert not [path for path in linear.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    "out, words",
    [
        ("net.zip", "OUT must end in .pt2, got"),
        ("folder.pt2", "is a folder"),
        ("file/net.pt2", "cannot be a folder: a file of that name is there"),
    ],
)
def test_paths_that_cannot_be_written_are_refused_in_a_sentence(out, words, tmp_path, capsys):
    (tmp_path / "folder.pt2").mkdir()
    (tmp_path / "file").write_text("")
    arguments = ["export", str(FOLDER / "linear" / "combined"), "--to", "cpp", "--torchscript"]
    assert main([*arguments, "-o", str(tmp_path / out)]) == 1
    told = capsys.readouterr().err
    assert words in told and len(told.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.pt2"]


@pytest.mark.parametrize("options", [["--to", "java"], ["--to", "onnx", "--torchscript"], ["--to", "cpp", "--fast"]])
def test_unknown_targets_and_options_are_refused(options, capsys):
    with pytest.raises(SystemExit) as left:
        main(["export", str(FOLDER / "linear" / "combined"), *options])
    assert left.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_python_refuses_the_same():
    with pytest.raises(ArgumentError, match="expected one of the targets onnx, torch, cpp, got 'java'"):
        export(str(FOLDER / "linear" / "combined"), "java")
    with pytest.raises(ArgumentError, match="TorchScript is a form of packages for C..") as refused:
        export(str(FOLDER / "linear" / "combined"), "onnx", torchscript=True)
    assert "onnx" in str(refused.value)


def test_recurrent_operators_of_packages_are_those_of_modules():
    generator = torch.Generator().manual_seed(1)
    x, weight, bias = (torch.rand(size, generator=generator) for size in ([5, 8], [2, 8], [1, 14]))
    lengths = torch.tensor([2, 3])
    names, functions = ["sigmoid", "tanh", "relu"], [torch.sigmoid, torch.tanh, torch.relu]
    found = torch.ops.refluid.lstm(x, lengths, weight, bias, *names, True, False, None, None)
    wanted = helpers.lstm(x, lengths, weight, bias, *functions, peepholes=True, reverse=False)
    assert all(torch.equal(a, b) for a, b in zip(found, wanted))
    rows = torch.ops.refluid.gru(x[:, :6], lengths, weight[:, :6], *names[:2], False, True, None)
    assert torch.equal(rows, helpers.gru(x[:, :6], lengths, weight[:, :6], *functions[:2], False, reverse=True))
