"""python -m refluid export: where files go, and what is refused."""

import os
import re
import sys

import onnx
import pytest
from tests.export.models import FOLDER
from tests.models.oracle import ROOT

from refluid.__main__ import main
from refluid.core.errors import EnforceNotMet
from refluid.export.model import read
from refluid.export.to_onnx import write as to_onnx
from refluid.export.to_onnx.write import maps as onnx_table
from refluid.export.to_torch.write import maps as torch_table


def test_the_file_is_written_beside_the_folder_unless_told_otherwise(tmp_path, capsys):
    copied = tmp_path / "digits"
    copied.mkdir()
    for path in (FOLDER / "lenet" / "separate").iterdir():
        (copied / path.name).write_bytes(path.read_bytes())
    assert main(["export", str(copied), "--to", "onnx"]) == 0
    assert capsys.readouterr().out == f"wrote {tmp_path / 'digits.onnx'}\n"
    assert main(["export", f"{copied}/", "--to", "torch"]) == 0
    assert sorted(os.listdir(tmp_path)) == ["digits", "digits.onnx", "digits.py", "digits.safetensors"]
    onnx.checker.check_model(onnx.load(tmp_path / "digits.onnx"), full_check=True)


@pytest.mark.parametrize("target, name", [("onnx", "ONNX"), ("torch", "PyTorch"), ("cpp", "C++")])
def test_all_operators_that_cannot_be_exported_are_listed_and_nothing_is_written(target, name, tmp_path, capsys):
    data = (FOLDER / "lenet" / "combined" / "model").read_bytes()
    broken = data.replace(b"pool2d\x12", b"pool2z\x12").replace(b"\x1a\x06pool2d", b"\x1a\x06pool2z")
    broken = broken.replace(b"\x1a\x07softmax", b"\x1a\x07softmex")
    assert broken.count(b"\x1a\x06pool2z") == 2
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "__model__").write_bytes(broken)
    (tmp_path / "net" / "__params__").write_bytes((FOLDER / "lenet" / "combined" / "params").read_bytes())
    output = tmp_path / {"onnx": "net.onnx", "torch": "net.py", "cpp": "net.pt2"}[target]
    assert main(["export", str(tmp_path / "net"), "--to", target, "-o", str(output)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"{tmp_path / 'net' / '__model__'} cannot be exported to {name} because")
    assert lines[1].strip().startswith("pool2z -> pool2d_0.tmp_0: there is no mapping to")
    assert os.listdir(tmp_path) == ["net"]


def test_a_loop_is_refused_by_onnx_with_the_way_out(tmp_path, capsys):
    folder = str(FOLDER / "looping" / "combined")
    assert main(["export", folder, "--to", "onnx", "-o", str(tmp_path / "net.onnx")]) == 1
    assert "while -> fc_0.tmp_2: loops have no mapping to ONNX; export --to torch can" in capsys.readouterr().err
    assert not os.listdir(tmp_path)


def test_missing_parameters_are_named(tmp_path, capsys):
    (tmp_path / "__model__").write_bytes((FOLDER / "lenet" / "combined" / "model").read_bytes())
    assert main(["export", str(tmp_path), "--to", "onnx"]) == 1
    assert "name the file of all parameters with --params" in capsys.readouterr().err


def test_a_module_must_be_a_python_file(tmp_path, capsys):
    folder = str(FOLDER / "linear" / "combined")
    assert main(["export", folder, "--to", "torch", "-o", str(tmp_path / "net.onnx")]) == 1
    assert "OUT must end in .py" in capsys.readouterr().err


def test_an_older_file_stays_when_an_export_is_refused(tmp_path):
    (tmp_path / "net.onnx").write_text("old")
    main(["export", str(FOLDER / "looping" / "combined"), "--to", "onnx", "-o", str(tmp_path / "net.onnx")])
    assert (tmp_path / "net.onnx").read_text() == "old"


def test_the_document_names_every_operator_that_can_be_exported():
    listed = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "export.md").read_text()))
    assert set(onnx_table.types) | set(torch_table.types) <= listed


def test_a_model_too_large_for_one_file_is_refused(monkeypatch):
    monkeypatch.setattr(to_onnx, "LARGEST", 100)
    with pytest.raises(EnforceNotMet, match=r"take \d+,\d+ bytes, but one ONNX file holds at most 2 GB"):
        to_onnx.to_proto(read(str(FOLDER / "lenet" / "combined")))


def test_a_package_that_is_missing_is_named_with_the_way_to_get_it(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "onnx", None)
    for name in [one for one in sys.modules if one.startswith("refluid.export.to_onnx.")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["export", str(FOLDER / "linear" / "combined"), "--to", "onnx"]) == 1
    assert capsys.readouterr().err == "export: the package 'onnx' is not installed; pip install 'refluid[onnx]'\n"


@pytest.mark.parametrize("target, name", [("onnx", "x.onnx"), ("torch", "x.py"), ("cpp", "x.pt2")])
def test_a_folder_that_cannot_be_written_is_named(target, name, capsys):
    folder = str(FOLDER / "lenet" / "combined")
    assert main(["export", folder, "--to", target, "-o", f"/proc/{name}"]) == 1
    assert "save: '/proc' cannot be written" in capsys.readouterr().err
    assert main(["inspect", folder, "--graph", "/proc/x.svg"]) == 1
    assert "save: '/proc' cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "--to", "onnx", "-o", "net.onnx"],
        ["export", "--to", "torch", "-o", "net.py"],
        ["export", "--to", "torch", "-o", "weights.py"],  # whose second file is the folder
        ["export", "--to", "cpp", "-o", "net.pt2"],
        ["inspect", "--graph", "net.svg"],
    ],
)
def test_a_folder_in_the_place_of_a_file_is_told_and_nothing_is_left(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folders = ["net.onnx", "net.pt2", "net.py", "net.svg", "weights.safetensors"]
    for name in folders:
        (tmp_path / name).mkdir()
    assert main([arguments[0], str(FOLDER / "linear" / "combined"), *arguments[1:]]) == 1
    told = capsys.readouterr().err
    assert "folder" in told and len(told.splitlines()) == 1 and "Errno" not in told
    assert sorted(os.listdir(tmp_path)) == folders


@pytest.mark.parametrize("command", [["export", "--to", "onnx"], ["inspect"]])
def test_what_is_no_folder_is_told_so(command, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    for name, words in (("none", "there is no folder {!r}"), ("file", "{!r} is a file")):
        path = str(tmp_path / name)
        assert main([command[0], path, *command[1:]]) == 1
        assert capsys.readouterr().err == f"{words.format(path)}; expected the folder of a saved model\n"
    assert main([command[0], str(tmp_path), *command[1:]]) == 1
    assert "has none of the files __model__, model, __model__.main_program" in capsys.readouterr().err


def test_an_empty_output_is_refused(capsys):
    assert main(["export", str(FOLDER / "linear" / "combined"), "--to", "onnx", "-o", ""]) == 1
    assert capsys.readouterr().err == "export: expected the path of a file to write, got an empty OUT\n"


def test_a_drawing_must_be_an_svg_file(tmp_path, capsys):
    with pytest.raises(SystemExit) as refused:
        main(["inspect", str(FOLDER / "lenet" / "combined"), "--graph", str(tmp_path / "net.pdf")])
    assert refused.value.code == 2 and not os.listdir(tmp_path)
    assert "--graph draws SVG: the file must end in .svg, got" in capsys.readouterr().err
