"""The programs in the documents run as they stand, and the Chinese pages hold the same programs as the English ones."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.distributed.ranks import PATIENT, TIMEOUT

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
FENCE = re.compile(
    r"^```(\{code-block\} python\n:caption: (?P<file>\S+)\n|(?P<kind>\w*)\n)(?P<text>.*?)^```$", re.S | re.M
)

# Pages whose programs each stand alone; in a tutorial they go on from one another.
SEPARATE = ["README.md", "docs/generations.md", "docs/old_programs.md", "docs/scaling.md", "docs/slim.md"]
PROGRAMS = [
    (name, block["text"])
    for name in SEPARATE
    for block in FENCE.finditer((ROOT / name).read_text())
    if block["kind"] == "python"
]
TUTORIALS = sorted(page for folder in ("tutorials", "migration") for page in (DOCS / folder).glob("*.md"))
CHINESE = sorted((DOCS / "zh").rglob("*.md"))


@pytest.mark.parametrize("name, program", PROGRAMS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(PROGRAMS)])
def test_a_program_of_a_document(name, program, capsys):
    exec(compile(program, name, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    """Its programs go on from one another, those with a caption become files, and commands run among them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    environment = {**os.environ, **PATIENT, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    names = {"__name__": "__main__"}
    for block in FENCE.finditer(page.read_text()):
        if block["file"]:
            Path(block["file"]).write_text(block["text"].lstrip("\n"))
        elif block["kind"] == "python":
            exec(compile(block["text"], str(page), "exec"), names)
        elif block["kind"] == "console":
            script = "set -e\n" + "\n".join(re.findall(r"^\$ (.*)$", block["text"], re.M)) + "\nwait\n"
            ran = subprocess.run(
                ["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=TIMEOUT
            )
            assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("page", CHINESE, ids=lambda page: page.stem)
def test_a_chinese_page_holds_the_programs_of_its_english_twin(page):
    twin = DOCS / page.relative_to(DOCS / "zh")
    here, there = ([block.group(0) for block in FENCE.finditer(path.read_text())] for path in (page, twin))
    assert here == there or page.name == "index.md"  # indices list their own pages


def test_every_tutorial_has_a_chinese_twin():
    twins = {page.relative_to(DOCS / "zh") for page in CHINESE}
    assert {page.relative_to(DOCS) for page in TUTORIALS} | {Path("index.md")} == twins


def test_the_chinese_readme_keeps_step():
    """The same programs and commands, as many headings, rows and points, and links to the same places."""
    texts = [(ROOT / name).read_text() for name in ("README.md", "README.zh.md")]
    blocks = [[block.group(0) for block in FENCE.finditer(text)] for text in texts]
    shapes = [[line[:2] for line in FENCE.sub("", text).splitlines() if re.match(r"#|- |\|", line)] for text in texts]
    links = [sorted(set(re.findall(r"\]\((?!README)([^)]+)\)", text))) for text in texts]
    assert blocks[0] == blocks[1] and shapes[0] == shapes[1] and links[0] == links[1]


def test_the_error_of_the_document(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    program, _, printed = (ROOT / "docs" / "errors.md").read_text().split("```")[1:4]
    script = tmp_path / "train.py"
    script.write_text(program.removeprefix("python\n"))
    runpy.run_path(str(script))
    assert capsys.readouterr().out.strip() == printed.strip()


def test_the_site_builds_without_a_warning(tmp_path):
    """Both languages, as `make docs` builds them."""
    for source, language in ((DOCS, "en"), (DOCS / "zh", "zh_CN")):
        command = [
            sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", DOCS,
            "-D", f"language={language}", source, tmp_path / language,
        ]  # fmt: skip
        ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert ran.returncode == 0, ran.stderr
        assert (tmp_path / language / "tutorials" / "digits.html").exists()
