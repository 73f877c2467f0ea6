"""The programs in the documents run as they stand."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROGRAMS = [
    (name, program)
    for name in ("README.md", "docs/generations.md", "docs/old_programs.md", "docs/slim.md")
    for program in re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.S)
]


@pytest.mark.parametrize("name, program", PROGRAMS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(PROGRAMS)])
def test_a_program_of_a_document(name, program, capsys):
    exec(compile(program, name, "exec"), {"__name__": "__main__"})


def test_the_error_of_the_document(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    program, _, printed = (ROOT / "docs" / "errors.md").read_text().split("```")[1:4]
    script = tmp_path / "train.py"
    script.write_text(program.removeprefix("python\n"))
    runpy.run_path(str(script))
    assert capsys.readouterr().out.strip() == printed.strip()
