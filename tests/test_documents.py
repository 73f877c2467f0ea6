"""The programs in the documents run as they stand, and the Chinese pages hold the same programs as the English ones."""

from __future__ import annotations

import itertools
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
SEPARATE = ["README.md", "docs/generations.md", "docs/old_programs.md", "docs/slim.md"]
PROGRAMS = [
    (name, block["text"])
    for name in SEPARATE
    for block in FENCE.finditer((ROOT / name).read_text())
    if block["kind"] == "python"
]
TUTORIALS = sorted(page for folder in ("tutorials", "migration") for page in (DOCS / folder).glob("*.md"))
# Pages with what their programs print, as the block behind each; the programs go on from one another.
PRINTING = ["program_to_function", "scaling"]
GUIDES = sorted(page for page in DOCS.glob("*.md") if page.stem not in ("architecture", "index"))
CHINESE = sorted((DOCS / "zh").rglob("*.md"))


@pytest.mark.parametrize("name, program", PROGRAMS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(PROGRAMS)])
def test_a_program_of_a_document(name, program, capsys):
    exec(compile(program, name, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("page", [*TUTORIALS, DOCS / "export.md"], ids=lambda page: page.stem)
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


@pytest.mark.parametrize("name", PRINTING)
def test_programs_of_a_document_print_what_it_shows(name, capsys):
    blocks = list(FENCE.finditer((DOCS / f"{name}.md").read_text()))
    names = {"__name__": "__main__"}
    for block, shown in itertools.pairwise(blocks):
        if block["kind"] == "python":
            exec(compile(block["text"], "train.py", "exec"), names)
            assert capsys.readouterr().out.strip() == shown["text"].strip()


@pytest.mark.parametrize("page", CHINESE, ids=lambda page: page.stem)
def test_a_chinese_page_holds_the_programs_of_its_english_twin(page):
    twin = DOCS / page.relative_to(DOCS / "zh")
    here, there = ([block.group(0) for block in FENCE.finditer(path.read_text())] for path in (page, twin))
    assert here == there or page.name == "index.md"  # indices list their own pages


def test_every_tutorial_and_guide_has_a_chinese_twin_with_as_many_headings_points_and_rows():
    twins = {page.relative_to(DOCS / "zh") for page in CHINESE}
    pages = {page.relative_to(DOCS) for page in (*TUTORIALS, *GUIDES)}
    assert pages | {Path("index.md")} == twins
    for page in sorted(pages):
        assert outline(DOCS / page) == outline(DOCS / "zh" / page), page


def outline(path: Path) -> list[str]:
    """The first two characters of headings, points of lists and rows of tables."""
    return [line[:2] for line in FENCE.sub("", path.read_text()).splitlines() if re.match(r"#|- |\|", line)]


def test_links_of_the_documents_lead_to_files():
    """Sphinx is silent about them, since pages link to files of the repository too."""
    for page in (ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")):
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", FENCE.sub("", page.read_text())):
            assert "://" in link or (page.parent / link).exists(), f"{page}: {link}"


def test_indices_list_every_page():
    for folder in (DOCS, DOCS / "zh"):
        listed = re.findall(r"^[a-z_0-9]+(?:/[a-z_0-9]+)?$", (folder / "index.md").read_text(), re.M)
        expected = [page.relative_to(DOCS).with_suffix("") for page in (*TUTORIALS, *GUIDES)]
        assert {str(page) for page in expected} <= set(listed)


def test_the_chinese_readme_keeps_step():
    """The same programs and commands, as many headings, rows and points, and links to the same places."""
    texts = [(ROOT / name).read_text() for name in ("README.md", "README.zh.md")]
    blocks = [[block.group(0) for block in FENCE.finditer(text)] for text in texts]
    shapes = [outline(ROOT / name) for name in ("README.md", "README.zh.md")]
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
